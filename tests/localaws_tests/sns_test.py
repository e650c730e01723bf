"""SNS, with boto3: topics, subscriptions, messages, and their way to a function.

usage: LOCALAWS=path/to/localaws python3 sns_test.py
"""
import json
import pathlib
import signal
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from localaws_server import ACCOUNT, REGION, Server, ServiceTest, boto3

ALARMS = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'
ALARM_FUNCTION = f'arn:aws:lambda:{REGION}:{ACCOUNT}:function:trainwarden-alarm'


@unittest.skipIf(boto3 is None, 'boto3 cannot be imported')
class Printed(unittest.TestCase):
    def printed(self, *options, count=1, size=10):
        """What localaws prints, beside its first line, of so many messages of that size."""
        server = Server(*options)
        sns = server.client('sns')
        topic = sns.create_topic(Name='people')['TopicArn']
        for _ in range(count):
            sns.publish(TopicArn=topic, Subject='Stopped: job-1', Message='two\nlines' + 'x' * size,
                        MessageAttributes={'owner': {'DataType': 'String', 'StringValue': 'jo'}})
        self.assertEqual(len(server.control('GET', 'messages')), count)
        server.process.send_signal(signal.SIGTERM)
        out = server.process.stdout.read()
        self.assertEqual(server.process.wait(timeout=10), 0)
        server.process.stdout.close()
        return out

    def test_what_people_would_get(self):
        self.assertRegex(self.printed(), r'^localaws: published to people at \S+Z\n  Subject: Stopped: job-1\n'
                                         r'  owner: jo\n\n    two\n    linesx{10}\n\n$')

    def test_quiet_prints_none_of_it(self):
        self.assertEqual(self.printed('--quiet'), '')

    def test_a_pipe_that_nobody_reads_holds_nothing_up(self):
        self.assertLess(len(self.printed(count=8, size=100_000)), 200_000)


class Topics(ServiceTest):
    def setUp(self):
        super().setUp()
        self.sns = self.server.client('sns')
        self.topic = self.sns.create_topic(Name='people')['TopicArn']
        self.addCleanup(self.sns.delete_topic, TopicArn=self.topic)

    def test_the_alarm_topic_is_there_with_its_subscriber(self):
        self.assertIn({'TopicArn': ALARMS}, self.sns.list_topics()['Topics'])
        found = self.sns.list_subscriptions_by_topic(TopicArn=ALARMS)['Subscriptions']
        self.assertEqual([(s['Protocol'], s['Endpoint'], s['Owner']) for s in found],
                         [('lambda', ALARM_FUNCTION, ACCOUNT)])
        self.assertTrue(found[0]['SubscriptionArn'].startswith(ALARMS + ':'))

    def test_topics_and_subscriptions_come_and_go(self):
        self.assertEqual(self.topic, f'arn:aws:sns:{REGION}:{ACCOUNT}:people')
        self.assertEqual(self.sns.create_topic(Name='people')['TopicArn'], self.topic)
        mail = self.sns.subscribe(TopicArn=self.topic, Protocol='email', Endpoint='a@example.com')
        self.assertEqual(mail['SubscriptionArn'], 'pending confirmation')
        arn = self.sns.subscribe(TopicArn=self.topic, Protocol='lambda', Endpoint=ALARM_FUNCTION)['SubscriptionArn']
        self.assertEqual(
            self.sns.subscribe(TopicArn=self.topic, Protocol='lambda', Endpoint=ALARM_FUNCTION)['SubscriptionArn'], arn)
        all_of_them = self.sns.list_subscriptions()['Subscriptions']
        self.assertEqual({s['SubscriptionArn'] for s in all_of_them if s['TopicArn'] == self.topic},
                         {arn, 'PendingConfirmation'})
        self.sns.unsubscribe(SubscriptionArn=arn)
        self.assertEqual(len(self.sns.list_subscriptions_by_topic(TopicArn=self.topic)['Subscriptions']), 1)
        self.sns.delete_topic(TopicArn=self.topic)
        self.refused('NotFound', 'Topic does not exist', self.sns.publish, 404, TopicArn=self.topic, Message='x')

    def test_messages_are_kept_until_a_reset(self):
        text = 'a & <b> "c" \u00e4\n+ %41'
        answer = self.sns.publish(TopicArn=self.topic, Message=text, Subject='Stopped: job-1', MessageAttributes={
            'rule': {'DataType': 'String', 'StringValue': 'required-tags'},
            'count': {'DataType': 'Number', 'StringValue': '3'}})
        message, = self.server.control('GET', 'messages')
        self.assertEqual(message.pop('message_id'), answer['MessageId'])
        self.assertLess(abs(time.time() - time.mktime(time.strptime(message.pop('time')[:19], '%Y-%m-%dT%H:%M:%S'))
                            + time.timezone), 60)
        self.assertEqual(message, {'topic': self.topic, 'subject': 'Stopped: job-1', 'message': text, 'attributes': {
            'rule': {'type': 'String', 'value': 'required-tags'}, 'count': {'type': 'Number', 'value': '3'}}})
        self.server.control('POST', 'reset', {})
        self.assertEqual(self.server.control('GET', 'messages'), [])
        self.assertIn({'TopicArn': self.topic}, self.sns.list_topics()['Topics'])

    def test_wrong_messages_are_refused(self):
        def attribute(name, **value):
            return {'MessageAttributes': {name: value}}
        for code, text, more in (
                ('InvalidParameter', 'Invalid parameter: Subject', {'Subject': 'x' * 100}),
                ('InvalidParameter', 'Invalid parameter: Subject', {'Subject': 'two\nlines'}),
                ('InvalidParameter', 'Invalid parameter: Subject', {'Subject': '\u00e4'}),
                ('InvalidParameter', 'Invalid parameter: Subject', {'Subject': ' x'}),
                ('InvalidParameter', 'Invalid parameter: Message too long', {'Message': 'x' * 262145}),
                ('InvalidParameter', 'Invalid parameter: Empty message', {'Message': ''}),
                ('InvalidParameter', 'No default entry', {'Message': '{}', 'MessageStructure': 'json'}),
                ('ParameterValueInvalid', 'set of supported type prefixes is Binary, Number, and String',
                 attribute('a', DataType='Text', StringValue='x')),
                ('ParameterValueInvalid', 'must contain non-empty', attribute('a', DataType='String', StringValue='')),
                ('ParameterValueInvalid', 'to number', attribute('a', DataType='Number', StringValue='x')),
                ('ParameterValueInvalid', 'name', attribute('AWS.a', DataType='String', StringValue='x')),
                ('InvalidParameter', 'Only one of', {'TargetArn': self.topic}),
                ('InvalidParameter', 'An ARN must have at least 6 elements, not 1', {'TopicArn': 'people'})):
            with self.subTest(text=text):
                self.refused(code, text, self.sns.publish, **{'TopicArn': self.topic, 'Message': 'x', **more})
        self.sns.publish(TopicArn=self.topic, Message='x' * 262144, Subject='x' * 99)
        loose = self.server.client('sns', parameter_validation=False)
        self.refused('ValidationError', "Value null at 'message' failed to satisfy constraint: Member must not be null",
                     loose.publish, TopicArn=self.topic)
        self.refused('InvalidParameter', 'Topic Name', self.sns.create_topic, Name='a b')
        self.refused('InvalidParameter', 'does not support this protocol string: pigeon', self.sns.subscribe,
                     TopicArn=self.topic, Protocol='pigeon', Endpoint='x')

    def test_signatures_are_judged_for_sns(self):
        for code, text, client in (
                ('SignatureDoesNotMatch', 'The request signature we calculated does not match', {'secret': 'wrong'}),
                ('InvalidClientTokenId', 'The security token included in the request is invalid.', {'key': 'wrong'}),
                ('SignatureDoesNotMatch', 'valid region', {'region': 'eu-west-1'})):
            self.refused(code, text, self.server.client('sns', **client).list_topics, 403)
        request = urllib.request.Request(self.server.url, b'Action=Nothing&Version=2010-03-31',
                                         {'Content-Type': 'application/x-www-form-urlencoded'})
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=10)
        with caught.exception as error:
            self.assertEqual(error.code, 400)
            self.assertIn(b'<Code>InvalidAction</Code>', error.read())

    def test_faults_have_the_names_of_the_protocol(self):
        self.server.control('POST', 'faults', {'operation': 'Publish', 'status': 400})
        self.refused('Throttling', 'Rate exceeded', self.sns.publish, TopicArn=self.topic, Message='x')


class Delivery(ServiceTest):
    """To a made-up alarm function that writes each event it gets to the file that is named by TRAINWARDEN_MODE."""

    @classmethod
    def setUpClass(cls):
        cls.events = tempfile.NamedTemporaryFile('r')
        cls.addClassCleanup(cls.events.close)
        bootstrap = pathlib.Path(__file__).with_name('event_bootstrap.py').resolve()
        cls.options = ('--alarm', str(bootstrap), '--state', str(bootstrap))
        cls.environment = {'TRAINWARDEN_MODE': cls.events.name}
        super().setUpClass()

    def next_event(self):
        for _ in range(200):
            if line := self.events.readline():
                return json.loads(line)
            time.sleep(0.05)
        raise AssertionError('no event came')

    def test_a_message_reaches_the_function_in_lambdas_envelope(self):
        sns = self.server.client('sns')
        identity = sns.publish(TopicArn=ALARMS, Message='"hello"', MessageAttributes={
            'a': {'DataType': 'String', 'StringValue': 'b'}})['MessageId']
        record, = self.next_event()['Records']
        subscription = sns.list_subscriptions_by_topic(TopicArn=ALARMS)['Subscriptions'][0]['SubscriptionArn']
        self.assertEqual((record['EventSource'], record['EventVersion'], record['EventSubscriptionArn']),
                         ('aws:sns', '1.0', subscription))
        message = record['Sns']
        self.assertRegex(message.pop('Timestamp'), r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
        for name in ('SigningCertUrl', 'UnsubscribeUrl'):
            self.assertTrue(message.pop(name).startswith(f'https://sns.{REGION}.amazonaws.com/'), name)
        self.assertEqual(message, {
            'Type': 'Notification', 'MessageId': identity, 'TopicArn': ALARMS, 'Subject': None, 'Message': '"hello"',
            'SignatureVersion': '1', 'Signature': 'EXAMPLE', 'MessageAttributes': {'a': {'Type': 'String', 'Value': 'b'}}})

    def test_deliveries_come_twice_or_late_on_demand(self):
        def texts(count):
            return [self.next_event()['Records'][0]['Sns']['Message'] for _ in range(count)]
        sns = self.server.client('sns')
        self.server.control('POST', 'faults', {'operation': 'Deliver', 'duplicate': True})
        for text in 'ab':
            sns.publish(TopicArn=ALARMS, Message=text)
        self.assertEqual(texts(3), ['a', 'a', 'b'])
        self.server.control('POST', 'faults', {'operation': 'Deliver', 'caller': 'alarm', 'delay_ms': 500})
        for text in 'cd':
            sns.publish(TopicArn=ALARMS, Message=text)
        self.assertEqual(texts(2), ['d', 'c'])
        for fault in ({'operation': 'Deliver', 'cut': True}, {'operation': 'Publish', 'duplicate': True}):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                self.server.control('POST', 'faults', fault)
            caught.exception.close()

    def test_any_function_can_be_subscribed_to_any_topic(self):
        sns = self.server.client('sns')
        topic = sns.create_topic(Name='other')['TopicArn']
        sns.subscribe(TopicArn=topic, Protocol='lambda', Endpoint=ALARM_FUNCTION.replace('-alarm', '-state'))
        sns.publish(TopicArn=topic, Subject='S', Message='{"default":"d","lambda":"l"}', MessageStructure='json')
        record, = self.next_event()['Records']
        self.assertEqual((record['Sns']['Message'], record['Sns']['Subject']), ('l', 'S'))
        sns.delete_topic(TopicArn=topic)


if __name__ == '__main__':
    unittest.main()
