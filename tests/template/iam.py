"""The part of IAM's evaluation that the template's policies use: allow statements with actions, resources, conditions."""
import fnmatch


def as_list(value):
    return value if isinstance(value, list) else [value]


def like(pattern, text):
    """IAM's wildcards are * and ?, brackets are literal."""
    return fnmatch.fnmatchcase(text, pattern.replace('[', '[[]'))


OPERATORS = {
    'StringEquals': lambda wanted, found: wanted == found,
    'StringLike': like,
    'ArnEquals': like,
    'ArnLike': like,
}
NEGATED = {'ArnNotLike': 'ArnLike'}


def condition_holds(condition, context):
    for operator, keys in condition.items():
        if operator in NEGATED:
            if condition_holds({NEGATED[operator]: keys}, context):
                return False
            continue
        every = operator.startswith('ForAllValues:')
        some = operator.startswith('ForAnyValue:')
        compare = OPERATORS[operator.removeprefix('ForAllValues:').removeprefix('ForAnyValue:')]
        for key, wanted in keys.items():
            values = as_list(context.get(key, []))
            if some:
                if not any(compare(w, value) for value in values for w in as_list(wanted)):
                    return False
                continue
            if not every and len(values) != 1:
                return False
            if not all(any(compare(w, value) for w in as_list(wanted)) for value in values):
                return False
    return True


def statements(role):
    for policy in role['Policies']:
        yield from policy['PolicyDocument']['Statement']


def allows(statement, action, resource, context):
    if statement['Effect'] != 'Allow' or {'NotAction', 'NotResource', 'NotPrincipal'} & statement.keys():
        raise NotImplementedError(f'statement {statement}')
    return (any(like(pattern.lower(), action.lower()) for pattern in as_list(statement['Action']))
            and any(like(pattern, resource) for pattern in as_list(statement['Resource']))
            and condition_holds(statement.get('Condition', {}), context))


def denies(statement, action, resource, context):
    return statement['Effect'] == 'Deny' and allows({**statement, 'Effect': 'Allow'}, action, resource, context)


def allowed(role, action, resource, **context):
    return any(allows(statement, action, resource, context) for statement in statements(role))


def granted_actions(role):
    return sorted({action for statement in statements(role) for action in as_list(statement['Action'])})
