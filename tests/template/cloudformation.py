"""template.yaml as a stack would see it: its tags read, its conditions decided, its references resolved.

Only what the template uses is known here; anything else is an error, so that a new construct cannot pass unseen.
"""
import itertools
import pathlib
import random
import re

import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TEMPLATE = REPOSITORY / 'template.yaml'

PSEUDO = {'AWS::Partition': 'aws', 'AWS::Region': 'eu-central-1', 'AWS::AccountId': '111122223333',
          'AWS::StackName': 'trainwarden', 'AWS::StackId': 'arn:aws:cloudformation:eu-central-1:111122223333:stack/trainwarden/1a2b',
          'AWS::URLSuffix': 'amazonaws.com'}
NO_VALUE = object()

# What !GetAtt may ask of the resource types in use: attribute -> what stands for it in tests.
ATTRIBUTES = {
    'AWS::Lambda::Function': {'Arn': 'arn:aws:lambda:eu-central-1:111122223333:function:{}'},
    'AWS::IAM::Role': {'Arn': 'arn:aws:iam::111122223333:role/{}'},
    'AWS::Logs::LogGroup': {'Arn': 'arn:aws:logs:eu-central-1:111122223333:log-group:{}:*'},
    'AWS::SQS::Queue': {'Arn': 'arn:aws:sqs:eu-central-1:111122223333:{}', 'QueueName': '{}'},
    'AWS::Events::Rule': {'Arn': 'arn:aws:events:eu-central-1:111122223333:rule/{}'},
    'AWS::KMS::Key': {'Arn': 'arn:aws:kms:eu-central-1:111122223333:key/{}'},
    'AWS::DynamoDB::Table': {'Arn': 'arn:aws:dynamodb:eu-central-1:111122223333:table/{}'},
}
# What !Ref gives, where it is not the name.
REFERENCES = {'AWS::SNS::Topic': 'arn:aws:sns:eu-central-1:111122223333:{}',
              'AWS::IAM::ManagedPolicy': 'arn:aws:iam::111122223333:policy/{}',
              'AWS::SQS::Queue': 'https://sqs.eu-central-1.amazonaws.com/111122223333/{}'}


class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # the one in C is ten times as fast
    """YAML with CloudFormation's short tags, as their long forms; a key that comes twice is an error."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f'{node.start_mark}: given twice: {sorted(twice)}')
        return super().construct_mapping(node, deep)


def construct_tag(loader, suffix, node):
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    if suffix == 'GetAtt' and isinstance(value, str):
        value = value.split('.', 1)
    return {suffix if suffix in ('Ref', 'Condition') else f'Fn::{suffix}': value}


Loader.add_multi_constructor('!', construct_tag)


def load(text=None):
    return yaml.load(TEMPLATE.read_text() if text is None else text, Loader)


def covering(variants, together=4):
    """Choices of a value each of `variants` (name -> values), such that any values of any so many names come together.

    What goes wrong in a template goes wrong where a few parameters meet; all their combinations are thousands.
    """
    def met(row):
        return set(itertools.combinations(row.items(), together))

    choose = random.Random(1).choice
    missing = {pairs for names in itertools.combinations(variants, together)
               for pairs in itertools.product(*([(name, value) for value in variants[name]] for name in names))}
    while missing:
        row = {name: choose(values) for name, values in variants.items()} | dict(min(missing))
        missing -= met(row)
        yield row


def walk(node, path=()):
    """Every node with its path, the node itself first."""
    yield path, node
    if isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from walk(value, (*path, index))


def intrinsic(node):
    """('Ref', 'X') for {'Ref': 'X'}; None for what is no intrinsic function."""
    if isinstance(node, dict) and len(node) == 1:
        (name, value), = node.items()
        if name == 'Ref' or name.startswith('Fn::'):
            return name, value
    return None


def names_in_sub(text):
    return [name for name in re.findall(r'\$\{([^}]+)\}', text) if not name.startswith('!')]


def needs(node):
    """The names that a part of the template refers to, whatever its conditions decide."""
    for _, inner in walk(node):
        name, value = intrinsic(inner) or (None, None)
        if name == 'Ref':
            yield value
        elif name == 'Fn::GetAtt':
            yield value[0]
        elif name == 'Fn::Sub':
            yield from (sub.split('.', 1)[0] for sub in names_in_sub(value))


def depends_on(resource):
    named = resource.get('DependsOn', [])
    return set(named if isinstance(named, list) else [named])


def circle(template):
    """Resources that wait for each other, as CloudFormation would refuse them; empty where there are none."""
    resources = template['Resources']
    waits = {name: set(needs(resource)) | depends_on(resource) for name, resource in resources.items()}
    left = {name: found & resources.keys() for name, found in waits.items()}
    while ready := [name for name, found in left.items() if not found & left.keys()]:
        for name in ready:
            del left[name]
    return sorted(left)


class Stack:
    """The template with these parameters. Resources that a condition leaves out are absent."""

    def __init__(self, template, **parameters):
        self.template = template
        unknown = parameters.keys() - template['Parameters'].keys()
        if unknown:
            raise KeyError(f'no such parameters: {sorted(unknown)}')
        self.parameters = {name: parameters.get(name, declared['Default'])
                           for name, declared in template['Parameters'].items()}
        self.conditions = {name: self._decide(node) for name, node in template['Conditions'].items()}
        self.resources = {name: self._resource(resource) for name, resource in template['Resources'].items()
                          if self._present(resource)}
        self.managed = {name: {} for name in self.of_type('AWS::IAM::Role')}  # role -> its managed policies, by name
        for name, policy in self.of_type('AWS::IAM::ManagedPolicy').items():  # as if they stood in their roles
            arn = REFERENCES['AWS::IAM::ManagedPolicy'].format(name)
            for role, properties in self.of_type('AWS::IAM::Role').items():
                if role in policy.get('Roles', []) or arn in properties.get('ManagedPolicyArns', []):
                    self.managed[role][name] = policy['PolicyDocument']
        self.inline = {name: role.get('Policies', []) for name, role in self.of_type('AWS::IAM::Role').items()}
        for role, properties in self.of_type('AWS::IAM::Role').items():
            properties['Policies'] = [*self.inline[role], *({'PolicyName': name, 'PolicyDocument': document}
                                                            for name, document in self.managed[role].items())]
        self.outputs = {name: self.resolve(output['Value']) for name, output in template['Outputs'].items()
                        if self._present(output)}

    def refusals(self):
        """What CloudFormation says before it makes anything, as the template's Rules ask for."""
        return [assertion['AssertDescription'] for rule in self.template.get('Rules', {}).values()
                if self._decide(rule['RuleCondition']) for assertion in rule['Assertions'] if not self._decide(assertion['Assert'])]

    def of_type(self, kind):
        return {name: r['Properties'] for name, r in self.resources.items() if r['Type'] == kind}

    def function(self, name):
        return self.resources[name]['Properties']

    def invoke_configs(self):
        """Function -> what becomes of events that it fails on."""
        configs = list(self.of_type('AWS::Lambda::EventInvokeConfig').values())
        found = {config['FunctionName']: config for config in configs}
        assert len(found) == len(configs), 'a function has two, under two names of it'
        return found

    def _present(self, node):
        return 'Condition' not in node or self.conditions[node['Condition']]

    def _resource(self, resource):
        return {'Type': resource['Type'], 'Properties': self.resolve(resource.get('Properties', {}))}

    def _decide(self, node):
        if node.keys() == {'Condition'}:
            return self._decide(self.template['Conditions'][node['Condition']])
        name, value = intrinsic(node)
        if name == 'Fn::Equals':
            left, right = (str(self.resolve(side)) for side in value)
            return left == right
        if name == 'Fn::Not':
            return not self._decide(value[0])
        if name in ('Fn::And', 'Fn::Or'):
            return (all if name == 'Fn::And' else any)([self._decide(side) for side in value])
        raise NotImplementedError(f'condition {node}')

    def _ref(self, name):
        if name == 'AWS::NoValue':
            return NO_VALUE
        if name in PSEUDO:
            return PSEUDO[name]
        if name in self.parameters:
            return self.parameters[name]
        resource = self.template['Resources'][name]
        if not self._present(resource):
            raise ValueError(f'!Ref {name}: this resource does not exist with {self.parameters}')
        return REFERENCES.get(resource['Type'], '{}').format(name)

    def _attribute(self, name, attribute):
        resource = self.template['Resources'][name]
        if not self._present(resource):
            raise ValueError(f'!GetAtt {name}.{attribute}: this resource does not exist with {self.parameters}')
        return ATTRIBUTES[resource['Type']][attribute].format(name)

    def _sub(self, text):
        for name in names_in_sub(text):
            found = self._attribute(*name.split('.', 1)) if '.' in name else self._ref(name)
            text = text.replace('${' + name + '}', str(found))
        return text

    def resolve(self, node):
        found = intrinsic(node)
        if found:
            name, value = found
            if name == 'Ref':
                return self._ref(value)
            if name == 'Fn::GetAtt':
                return self._attribute(*value)
            if name == 'Fn::Sub':
                return self._sub(value)
            if name == 'Fn::Split':
                return self.resolve(value[1]).split(value[0])
            if name == 'Fn::Select':
                return self.resolve(value[1])[int(value[0])]
            if name == 'Fn::If':
                return self.resolve(value[1] if self.conditions[value[0]] else value[2])
            raise NotImplementedError(name)
        if isinstance(node, dict):
            resolved = {key: self.resolve(value) for key, value in node.items()}
            return {key: value for key, value in resolved.items() if value is not NO_VALUE}
        if isinstance(node, list):
            resolved = [self.resolve(value) for value in node]
            return [value for value in resolved if value is not NO_VALUE]
        return node
