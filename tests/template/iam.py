"""The part of IAM's evaluation that the template's policies use, and those that organisations.md shows: statements with
actions, resources and conditions; service control policies; policies of resources."""
import fnmatch


def as_list(value):
    return value if isinstance(value, list) else [value]


def like(pattern, text):
    """IAM's wildcards are * and ?, brackets are literal."""
    return fnmatch.fnmatchcase(text, pattern.replace('[', '[[]'))


def equal(wanted, found):
    return wanted == found


def equal_ignoring_case(wanted, found):
    return wanted.lower() == found.lower()


def arn_like(pattern, arn):
    """Each of the six parts by itself: a wildcard in one does not reach into the next, but the last may hold colons."""
    wanted, found = pattern.split(':', 5), arn.split(':', 5)
    return pattern == '*' or (len(wanted) == len(found) == 6 and all(map(like, wanted, found)))


# ArnEquals and ArnLike are one operator under two names.
OPERATORS = {'StringEquals': equal, 'StringLike': like, 'ArnEquals': arn_like, 'ArnLike': arn_like, 'Bool': equal_ignoring_case}
NEGATED = {'StringNotEquals': equal, 'StringNotLike': like, 'ArnNotEquals': arn_like, 'ArnNotLike': arn_like}


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


def applies(statement, action, resource, context):
    """Whether a statement is about the request, whatever its effect. Actions have no case, resources have."""
    if {'NotResource', 'NotPrincipal'} & statement.keys() or ('Action' in statement) == ('NotAction' in statement):
        raise NotImplementedError(f'statement {statement}')
    named = any(like(pattern.lower(), action.lower()) for pattern in as_list(statement.get('Action', statement.get('NotAction'))))
    return (named == ('Action' in statement)
            and any(pattern == '*' or arn_like(pattern, resource) for pattern in as_list(statement['Resource']))
            and condition_holds(statement.get('Condition', {}), context))


def allows(statement, action, resource, context):
    if statement['Effect'] != 'Allow' or 'NotAction' in statement:
        raise NotImplementedError(f'statement {statement}')
    return applies(statement, action, resource, context)


def denies(statement, action, resource, context):
    return statement['Effect'] == 'Deny' and applies(statement, action, resource, context)


def account_of(principal):
    return principal.split(':', 5)[4]


def scp_denies(policies, principal, action, resource, management, context=None):
    """Whether service control policies keep a principal from it, where FullAWSAccess stays attached beside them.

    They hold for the roles, the users and the root user of member accounts: not for service-linked roles, not for services
    that call by themselves (principal: None), and for nobody in the management account.
    https://docs.aws.amazon.com/organizations/latest/userguide/orgs_manage_policies_scps.html
    """
    if principal is None or account_of(principal) == management or ':role/aws-service-role/' in principal:
        return False
    found = {**(context or {}), 'aws:PrincipalArn': principal, 'aws:PrincipalAccount': account_of(principal)}
    return any(denies(statement, action, resource, found) for policy in policies for statement in policy['Statement'])


def resource_policy_allows(policy, principal, action, resource, context=None):
    """Whether the policy of a resource lets them, by itself. principal: an ARN, or {'Service': …}."""
    service = isinstance(principal, dict)
    found = {**(context or {}), **({} if service else {'aws:PrincipalArn': principal, 'aws:PrincipalAccount': account_of(principal)})}

    def names(statement):
        who = statement['Principal']
        if who == '*':
            return True
        kind, value = ('Service', principal['Service']) if service else ('AWS', principal)
        return value in as_list(who.get(kind, []))
    about = [s for s in policy['Statement'] if names(s) and applies(s, action, resource, found)]
    return any(s['Effect'] == 'Allow' for s in about) and all(s['Effect'] == 'Allow' for s in about)


def allowed(role, action, resource, **context):
    return any(allows(statement, action, resource, context) for statement in statements(role))


def granted_actions(role):
    return sorted({action for statement in statements(role) for action in as_list(statement['Action'])})
