"""DynamoDB's one table, with boto3; what must hold of any DynamoDB is also asked of moto's, where that is installed.

usage: LOCALAWS=path/to/localaws python3 dynamodb_test.py
"""
import decimal
import json
import os
import time
import unittest
import unittest.mock
import zlib

from localaws_server import ACCOUNT, REGION, ServiceTest, boto3, create_state_table

try:
    import moto
except ImportError:
    moto = None

TABLE = f'arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/trainwarden-state'
CONDITION = 'attribute_not_exists(id) OR v = :v'
EMPTY_KEY = ('One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty '
             'string value. Key: id')


def expects_old_items(client):
    """Whether this botocore knows how to ask for the item that a condition was lost to."""
    members = client.meta.service_model.operation_model('PutItem').input_shape.members
    return 'ReturnValuesOnConditionCheckFailure' in members


class Calls:
    """Calls as Trainwarden makes them: `self.dynamodb` is a client, `self.table` the table."""

    def put(self, id, v=1, read=None, **attributes):
        arguments = {} if read is None else {'ConditionExpression': CONDITION,
                                             'ExpressionAttributeValues': {':v': {'N': str(read)}}}
        return self.dynamodb.put_item(TableName=self.table, Item={'id': {'S': id}, 'v': {'N': str(v)}, **attributes}, **arguments)

    def get(self, id):
        return self.dynamodb.get_item(TableName=self.table, Key={'id': {'S': id}}, ConsistentRead=True).get('Item')

    def query(self, **more):
        return self.dynamodb.query(TableName=self.table, IndexName='due', KeyConditionExpression='due = :due',
                                   ExpressionAttributeValues={':due': {'S': '1'}}, **more)

    def refuse_code(self, code, call, **arguments):
        with self.assertRaises(self.dynamodb.exceptions.ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response['Error']['Code'], code, caught.exception)
        self.assertEqual(caught.exception.response['ResponseMetadata']['HTTPStatusCode'], 400)
        return caught.exception.response


class AnyDynamoDb(Calls):
    """Cases that hold of any DynamoDB, on an empty table whose index does not lag."""

    def test_values_come_back_as_they_were(self):
        values = {'s': {'S': 'größe'}, 'empty': {'S': ''}, 'n': {'N': '-12.5'}, 'yes': {'BOOL': True}, 'no': {'BOOL': False},
                  'null': {'NULL': True}, 'l': {'L': [{'S': 'a'}, {'L': []}]}, 'm': {'M': {'x': {'M': {}}, 'y': {'N': '7'}}}}
        self.assertIsNone(self.get('job/a'))
        self.put('job/a', **values)
        self.assertEqual(self.get('job/a'), {'id': {'S': 'job/a'}, 'v': {'N': '1'}, **values})
        self.put('job/a', v=2)
        self.assertEqual(self.get('job/a'), {'id': {'S': 'job/a'}, 'v': {'N': '2'}})

    def test_the_condition(self):
        self.put('brake', v=1, read=0)
        for read in (0, 2, 5):
            self.refuse_code('ConditionalCheckFailedException', self.put, id='brake', v=9, read=read)
        self.put('brake', v=2, read=1)
        self.put('brake', v=3, read='2.0')
        self.assertEqual(self.get('brake')['v'], {'N': '3'})
        self.dynamodb.put_item(TableName=self.table, Item={'id': {'S': 'none'}})
        self.refuse_code('ConditionalCheckFailedException', self.put, id='none', v=1, read=0)

    def test_a_lost_condition_brings_the_item_where_it_is_asked_for(self):
        if not expects_old_items(self.dynamodb):
            self.skipTest('this botocore does not know ReturnValuesOnConditionCheckFailure')
        self.put('brake', v=4, request={'S': 'r-1'})
        refused = self.refuse_code(
            'ConditionalCheckFailedException', self.dynamodb.put_item, TableName=self.table, Item={'id': {'S': 'brake'}},
            ConditionExpression=CONDITION, ExpressionAttributeValues={':v': {'N': '3'}},
            ReturnValuesOnConditionCheckFailure='ALL_OLD')
        self.assertEqual(refused['Item'], {'id': {'S': 'brake'}, 'v': {'N': '4'}, 'request': {'S': 'r-1'}})
        self.assertNotIn('Item', self.refuse_code('ConditionalCheckFailedException', self.put, id='brake', read=3))

    def test_names_may_be_placeholders(self):
        self.put('brake', v=1)
        self.dynamodb.put_item(TableName=self.table, Item={'id': {'S': 'brake'}, 'v': {'N': '2'}},
                               ConditionExpression='(attribute_not_exists(#n0) OR #n1 = :v0)',
                               ExpressionAttributeNames={'#n0': 'id', '#n1': 'v'},
                               ExpressionAttributeValues={':v0': {'N': '1'}})
        self.assertEqual(self.get('brake')['v'], {'N': '2'})

    def test_the_index_has_the_keys_of_what_has_both_attributes(self):
        self.put('b', due={'S': '1'}, since={'N': '20'}, more={'S': 'x'})
        self.put('a', due={'S': '1'}, since={'N': '100'})
        self.put('c', due={'S': '1'}, since={'N': '3'})
        self.put('other', due={'S': '2'}, since={'N': '1'})
        self.put('no-since', due={'S': '1'})
        self.put('no-due', since={'N': '2'})
        found = self.query()
        self.assertEqual(found['Items'], [{'id': {'S': id}, 'due': {'S': '1'}, 'since': {'N': since}}
                                          for id, since in (('c', '3'), ('b', '20'), ('a', '100'))])
        self.assertEqual((found['Count'], found['ScannedCount']), (3, 3))
        self.assertNotIn('LastEvaluatedKey', found)
        backwards = self.query(ScanIndexForward=False)
        self.assertEqual([item['id']['S'] for item in backwards['Items']], ['a', 'b', 'c'])
        self.assertEqual(self.query(Select='COUNT')['Count'], 3)
        self.put('b')
        self.assertEqual([item['id']['S'] for item in self.query()['Items']], ['c', 'a'])

    def test_pages(self):
        for number in range(7):
            self.put(f'job/{number}', due={'S': '1'}, since={'N': str(number // 2)})
        for size in (1, 2, 3, 6, 7, 8):
            pages = self.dynamodb.get_paginator('query').paginate(
                TableName=self.table, IndexName='due', KeyConditionExpression='due = :due',
                ExpressionAttributeValues={':due': {'S': '1'}}, PaginationConfig={'PageSize': size})
            seen = [item for page in pages for item in page['Items']]
            self.assertEqual(sorted(item['id']['S'] for item in seen), [f'job/{number}' for number in range(7)], size)
            since = [int(item['since']['N']) for item in seen]
            self.assertEqual(since, sorted(since))
        first = self.query(Limit=2)
        self.assertEqual(first['LastEvaluatedKey'], first['Items'][1])

    def test_wrong_items_are_refused(self):
        put = self.dynamodb.put_item
        for item in ({'v': {'N': '1'}}, {'id': {'N': '1'}}, {'id': {'S': ''}}, {'id': {'S': 'a'}, 'x': {'N': 'one'}},
                     {'id': {'S': 'a'}, 'x': {'S': 'x' * 400 * 1024}}):
            self.refuse_code('ValidationException', put, TableName=self.table, Item=item)
        self.assertIsNone(self.get('a'))

    def test_wrong_keys_are_refused(self):
        for key in ({'id': {'S': ''}}, {'v': {'N': '1'}}, {'id': {'S': 'a'}, 'v': {'N': '1'}}):
            self.refuse_code('ValidationException', self.dynamodb.get_item, TableName=self.table, Key=key)

    def test_wrong_conditions_are_refused(self):
        item, one = {'id': {'S': 'a'}}, {':v': {'N': '1'}}
        for condition, values in ((CONDITION, {}), ('rule = :v', one)):
            self.refuse_code('ValidationException', self.dynamodb.put_item, TableName=self.table, Item=item,
                             ConditionExpression=condition, ExpressionAttributeValues=values)

    def test_wrong_queries_are_refused(self):
        self.refuse_code('ValidationException', self.query, ConsistentRead=True)
        self.refuse_code('ValidationException', self.dynamodb.query, TableName=self.table, IndexName='due',
                         KeyConditionExpression='id = :due', ExpressionAttributeValues={':due': {'S': '1'}})

    def test_another_table_is_not_found(self):
        for table in ('another', self.table.replace('trainwarden-state', 'another')):
            for call, arguments in ((self.dynamodb.get_item, {'Key': {'id': {'S': 'a'}}}),
                                    (self.dynamodb.put_item, {'Item': {'id': {'S': 'a'}}})):
                self.refuse_code('ResourceNotFoundException', call, TableName=table, **arguments)


class LocalAws(AnyDynamoDb, ServiceTest):
    options = ('--index-lag', '0')
    table = TABLE

    def setUp(self):
        super().setUp()
        self.dynamodb = self.server.client('dynamodb')

    def raw_call(self, operation, body):
        status, headers, answer = self.server.raw('dynamodb', body, X_Amz_Target=f'DynamoDB_20120810.{operation}',
                                                  Content_Type='application/x-amz-json-1.0')
        self.assertEqual(int(headers['x-amz-crc32']), zlib.crc32(answer))
        return status, json.loads(answer)

    def test_refusals_have_the_words_of_aws(self):
        put = self.dynamodb.put_item
        mine = 'One or more parameter values were invalid: '
        for item, text in (({'v': {'N': '1'}}, f'{mine}Missing the key id in the item'),
                           ({'id': {'N': '1'}}, f'{mine}Type mismatch for key id expected: S actual: N'),
                           ({'id': {'S': ''}}, EMPTY_KEY),
                           ({'id': {'S': 'x' * 2049}}, f'{mine}Size of hashkey has exceeded the maximum size limit of2048'),
                           ({'id': {'S': 'a'}, 'due': {'BOOL': True}},
                            f'{mine}Type mismatch for Index Key due Expected: S Actual: BOOL IndexName: due'),
                           ({'id': {'S': 'a'}, 'due': {'S': '1'}, 'since': {'S': '1'}},
                            f'{mine}Type mismatch for Index Key since Expected: N Actual: S IndexName: due'),
                           ({'id': {'S': 'a'}, 'due': {'S': ''}}, 'IndexName: due, IndexKey: due'),
                           ({'id': {'S': 'a'}, 'x': {'NULL': False}}, f'{mine}Null attribute value types must have'),
                           ({'id': {'S': 'a'}, 'x': {'N': '1e126'}}, 'Number overflow. Attempting to store a number with'),
                           ({'id': {'S': 'a'}, 'x': {'L': [{'N': '1' * 39}]}},
                            'Attempting to store more than 38 significant digits in a Number'),
                           ({'id': {'S': 'a'}, 'x': {'SS': ['a']}}, 'localaws keeps no values of the type SS'),
                           ({'id': {'S': 'a'}, 'x': {'S': 'x' * 400 * 1024}}, 'Item size has exceeded the maximum allowed size')):
            self.refused('ValidationException', text, put, TableName=TABLE, Item=item)
        for key in ({'v': {'N': '1'}}, {'id': {'N': '1'}}, {'id': {'S': 'a'}, 'v': {'N': '1'}}, {}):
            self.refused('ValidationException', 'The provided key element does not match the schema', self.dynamodb.get_item,
                         TableName=TABLE, Key=key)
        self.refused('ValidationException', EMPTY_KEY, self.dynamodb.get_item, TableName=TABLE, Key={'id': {'S': ''}})
        self.refused('ResourceNotFoundException', 'Requested resource not found', self.dynamodb.get_item,
                     TableName=TABLE.replace(REGION, 'eu-west-1'), Key={'id': {'S': 'a'}})
        self.refused('ConditionalCheckFailedException', 'The conditional request failed',
                     lambda: (self.put('b', v=1), self.put('b', v=2, read=5)))

    def test_refusals_of_conditions_have_the_words_of_aws(self):
        one, item = {':v': {'N': '1'}}, {'id': {'S': 'a'}}
        for text, more in (
                ('An expression attribute value used in expression is not defined; attribute value: :v',
                 {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': {':w': {'N': '1'}}}),
                ('Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}',
                 {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': {**one, ':w': {'N': '1'}}}),
                ('Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}',
                 {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': one, 'ExpressionAttributeNames': {'#x': 'id'}}),
                ('An expression attribute name used in the document path is not defined; attribute name: #id',
                 {'ConditionExpression': 'attribute_not_exists(#id) OR v = :v', 'ExpressionAttributeValues': one}),
                ('ExpressionAttributeValues must not be empty',
                 {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': {}}),
                ('ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null',
                 {'ExpressionAttributeValues': one}),
                ('ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
                 {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': {'v': {'N': '1'}}}),
                ('ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x '
                 'for key :v', {'ConditionExpression': CONDITION, 'ExpressionAttributeValues': {':v': {'N': 'x'}}}),
                ('Invalid ConditionExpression: The expression can not be empty;',
                 {'ConditionExpression': '', 'ExpressionAttributeValues': one}),
                *(('Invalid ConditionExpression: localaws knows `attribute_not_exists(id) OR v = :value` only',
                   {'ConditionExpression': condition, 'ExpressionAttributeValues': one})
                  for condition in ('size(id) < :v', 'attribute_not_exists(id) OR', 'attribute_not_exists(v) OR v = :v',
                                    'attribute_not_exists(id) AND v = :v', 'attribute_not_exists(id) OR v <> :v', 'v = :v',
                                    'attribute_not_exists(id) OR v = v', '(attribute_not_exists(id) OR v = :v')),
                ('ReturnValues can only be ALL_OLD or NONE', {'ReturnValues': 'ALL_NEW'}),
                ('Member must satisfy enum value set: [ALL_NEW', {'ReturnValues': 'SOME'}),
                ('localaws does not know Expected', {'Expected': {'id': {'Exists': False}}})):
            self.refused('ValidationException', text, self.dynamodb.put_item, TableName=TABLE, Item=item, **more)

    def test_refusals_of_queries_have_the_words_of_aws(self):
        self.refused('ValidationException', 'Consistent reads are not supported on global secondary indexes', self.query,
                     ConsistentRead=True)
        self.refused('ValidationException', 'Select type ALL_ATTRIBUTES is not supported', self.query, Select='ALL_ATTRIBUTES')
        key = {'id': {'S': 'a'}, 'due': {'S': '1'}, 'since': {'N': '1'}}
        for text, start in (('The provided starting key is invalid', {'id': {'S': 'a'}}),
                            ('The provided starting key is invalid', {**key, 'since': {'S': '1'}}),
                            ('The provided starting key is invalid', {**key, 'v': {'N': '1'}}),
                            ('The provided starting key is outside query boundaries', {**key, 'due': {'S': '2'}})):
            self.refused('ValidationException', text, self.query, ExclusiveStartKey=start)
        self.refused('ValidationException', 'The table does not have the specified index: other', self.dynamodb.query,
                     TableName=TABLE, IndexName='other')
        self.refused('ValidationException', 'Either the KeyConditions or KeyConditionExpression parameter must be specified',
                     self.dynamodb.query, TableName=TABLE, IndexName='due')
        self.assertEqual(self.query(ExclusiveStartKey=key)['Items'], [])

    def test_numbers_are_kept_in_one_form(self):
        for given, kept in (('1.0', '1'), ('1E2', '100'), ('-0.50', '-0.5'), ('-0', '0'), ('1e-3', '0.001')):
            self.put('n', x={'L': [{'M': {'y': {'N': given}}}]})
            self.assertEqual(self.get('n')['x'], {'L': [{'M': {'y': {'N': kept}}}]})

    def test_the_size_is_that_of_names_and_values(self):
        full = 400 * 1024 - len('id' 'a' 'v' 'x') - 2  # 1 is two bytes
        self.put('a', x={'S': 'x' * full})
        self.refused('ValidationException', 'Item size has exceeded the maximum allowed size', self.put, id='a',
                     x={'S': 'x' * (full + 1)})
        self.refused('ValidationException', 'Item size has exceeded', self.put, id='a', x={'S': 'x' * (full - 1) + 'ü'})

    def test_values_may_be_nested_32_deep(self):
        def nested(levels):
            value = {'S': 'x'}
            for _ in range(levels - 1):
                value = {'L': [value]}
            return value
        self.put('a', x=nested(32))
        self.refused('ValidationException', 'Nesting Levels have exceeded supported limits', self.put, id='a', x=nested(33))

    def test_a_value_has_one_type(self):
        """What boto3 would not send."""
        for value, code, text in (({}, 'validate#Validation', 'Supplied AttributeValue is empty, must contain exactly one'),
                                  ({'S': 'a', 'N': '1'}, 'validate#Validation', 'more than one datatypes set'),
                                  ({'S': None}, 'validate#Validation', 'Supplied AttributeValue is empty'),
                                  ({'S': 1}, 'service#Serialization', 'NUMBER_VALUE can not be converted to a String'),
                                  ({'M': []}, 'service#Serialization', 'Start of list found where not expected'),
                                  ('a', 'service#Serialization', 'Unexpected field type')):
            body = json.dumps({'TableName': TABLE, 'Item': {'id': {'S': 'a'}, 'x': value}}).encode()
            status, answer = self.raw_call('PutItem', body)
            self.assertEqual((status, answer['__type']), (400, f'com.amazon.coral.{code}Exception'), answer)
            self.assertIn(text, answer['message'])

    def test_answers_say_whose_errors_they_are_and_bear_a_checksum(self):
        body = json.dumps({'TableName': TABLE, 'Key': {'id': {'S': 'größe'}}}).encode()
        self.assertEqual(self.raw_call('GetItem', body), (200, {}))
        self.put('größe')
        self.assertEqual(self.raw_call('GetItem', body)[1]['Item']['id'], {'S': 'größe'})
        status, answer = self.raw_call('GetItem', body.replace(b'trainwarden-state', b'another'))
        self.assertEqual((status, answer), (400, {'__type': 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
                                                  'message': 'Requested resource not found'}))
        self.assertEqual(self.raw_call('DeleteItem', body)[1]['__type'], 'com.amazon.coral.service#UnknownOperationException')

    def test_what_was_replaced_is_given_back_where_it_is_asked_for(self):
        put = lambda **more: self.dynamodb.put_item(TableName=TABLE, Item={'id': {'S': 'a'}, **more}, ReturnValues='ALL_OLD')
        self.assertNotIn('Attributes', put(x={'N': '1'}))
        self.assertEqual(put()['Attributes'], {'id': {'S': 'a'}, 'x': {'N': '1'}})

    def test_the_table_resource(self):
        resource = boto3.resource('dynamodb', endpoint_url=self.server.url, region_name=REGION, aws_access_key_id='test',
                                  aws_secret_access_key='test')
        self.addCleanup(resource.meta.client._endpoint.http_session.close)
        table = resource.Table('trainwarden-state')
        key, attr = boto3.dynamodb.conditions.Key, boto3.dynamodb.conditions.Attr
        mine = attr('id').not_exists() | attr('v').eq(1)
        table.put_item(Item={'id': 'a', 'v': 1, 'due': '1', 'since': 5, 'more': {'x': decimal.Decimal('0.5')}},
                       ConditionExpression=mine)
        table.put_item(Item={'id': 'a', 'v': 2, 'due': '1', 'since': 5}, ConditionExpression=mine)
        with self.assertRaises(resource.meta.client.exceptions.ConditionalCheckFailedException):
            table.put_item(Item={'id': 'a', 'v': 3}, ConditionExpression=mine)
        self.assertEqual(table.get_item(Key={'id': 'a'})['Item'], {'id': 'a', 'v': 2, 'due': '1', 'since': 5})
        found = table.query(IndexName='due', KeyConditionExpression=key('due').eq('1'))
        self.assertEqual(found['Items'], [{'id': 'a', 'due': '1', 'since': 5}])

    def test_signatures_are_judged_for_dynamodb(self):
        self.refused('InvalidSignatureException', 'The request signature we calculated does not match',
                     self.server.client('dynamodb', secret='x').get_item, TableName=TABLE, Key={'id': {'S': 'a'}})

    def test_faults_strike_and_a_cut_answer_has_had_its_effect(self):
        faults = [{'operation': 'PutItem', 'code': 'ProvisionedThroughputExceededException', 'caller': 'clients'},
                  {'operation': 'PutItem', 'cut': True}, {'operation': 'GetItem', 'delay_ms': 300}]
        self.server.control('POST', 'faults', faults)
        self.refuse_code('ProvisionedThroughputExceededException', self.put, id='a')
        self.assertEqual(self.server.control('GET', 'items'), {})
        with self.assertRaises(Exception):
            self.put('a', v=7)
        began = time.monotonic()
        self.assertEqual(self.get('a')['v'], {'N': '7'})
        self.assertGreaterEqual(time.monotonic() - began, 0.3)
        self.assertEqual(self.server.control('GET', 'items'), {'a': {'id': {'S': 'a'}, 'v': {'N': '7'}}})
        self.server.control('POST', 'reset', {})
        self.assertEqual(self.server.control('GET', 'items'), {})


class Lag(Calls, ServiceTest):
    options = ('--index-lag', '1500')
    table = TABLE

    def test_the_index_lags_and_items_do_not(self):
        self.dynamodb = self.server.client('dynamodb')
        self.put('a', due={'S': '1'}, since={'N': '1'})
        self.assertIsNotNone(self.get('a'))
        self.assertEqual(self.query()['Items'], [])
        time.sleep(1.6)
        self.assertEqual(len(self.query()['Items']), 1)
        self.put('a', v=2)
        self.assertEqual(self.get('a')['v'], {'N': '2'})
        self.assertEqual(len(self.query()['Items']), 1)
        time.sleep(1.6)
        self.assertEqual(self.query()['Items'], [])


@unittest.skipIf(moto is None, 'moto cannot be imported')
class Moto(AnyDynamoDb, unittest.TestCase):
    """The same cases on another DynamoDB, so that ours is not one of our own invention."""

    def setUp(self):
        keys = unittest.mock.patch.dict(os.environ, AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test')
        keys.start()
        self.addCleanup(keys.stop)
        mock = moto.mock_aws()
        mock.start()
        self.addCleanup(mock.stop)
        self.dynamodb = boto3.client('dynamodb', region_name=REGION)
        self.table = create_state_table(self.dynamodb)


if __name__ == '__main__':
    unittest.main()
