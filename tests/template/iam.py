"""The part of IAM's evaluation that the template's policies use: statements with actions, resources and conditions."""
import fnmatch


def as_list(value):
    return value if isinstance(value, list) else [value]


def like(pattern, text):
    """IAM's wildcards are * and ?, brackets are literal."""
    return fnmatch.fnmatchcase(text, pattern.replace('[', '[[]'))


def equal(wanted, found):
    return wanted == found


# ArnEquals and ArnLike are one operator under two names.
OPERATORS = {'StringEquals': equal, 'StringLike': like, 'ArnEquals': like, 'ArnLike': like}
NEGATED = {'StringNotEquals': equal, 'StringNotLike': like, 'ArnNotEquals': like, 'ArnNotLike': like}


def operator_holds(operator, wanted, values):
    """values: what the request has for the key; none where it does not have the key.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
    """
    if operator == 'Null':  # 'true' asks for a key that is missing
        return (not values) == (str(wanted).lower() == 'true')
    quantifier, _, name = operator.rpartition(':')
    compare = {**OPERATORS, **NEGATED}[name]

    def holds(value):
        return any(compare(w, value) for w in as_list(wanted)) != (name in NEGATED)
    if quantifier == 'ForAllValues':  # holds where there is no value
        return all(map(holds, values))
    if quantifier == 'ForAnyValue':
        return any(map(holds, values))
    if not values:
        return name in NEGATED
    return len(values) == 1 and holds(values[0])


def condition_holds(condition, context):
    return all(operator_holds(operator, wanted, as_list(context.get(key, [])))
               for operator, keys in condition.items() for key, wanted in keys.items())


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
