"""Notices end to end: the state function stops jobs on the embedded AWS, and people are told on a topic.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest notices_test
"""
import json
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, NO_P5, REGION, REQUIRED_TAGS, EmbeddedAws, judge_by_models

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:people'
NO_P5_TOLD = {**NO_P5, 'prices': {'ml.p5.48xlarge': 50.0}, 'rules': [{**NO_P5['rules'][0], 'actions': ['stop', 'notify']}]}


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class Notices(unittest.TestCase):
    def serve(self, policy, *options, **environment):
        aws = EmbeddedAws(policy, *options, functions=('state',), **{'TRAINWARDEN_NOTIFY_TOPIC': TOPIC, **environment})
        self.addCleanup(aws.close)
        sns = self.client(aws, 'sns')
        for name in ('people', 'vision'):
            sns.create_topic(Name=name)
        return aws

    def client(self, aws, service):
        client = boto3.client(service, endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                              aws_secret_access_key='test')
        self.addCleanup(client._endpoint.http_session.close)
        return client

    def messages(self, aws):
        return aws.control('GET', 'messages')[1]

    def codes(self, record):
        return [action['code'] for decision in record['decisions'] for action in decision['actions']]

    def tags(self, aws, event):
        listed = self.client(aws, 'sagemaker').list_tags(ResourceArn=event['detail']['TrainingJobArn'])['Tags']
        return {tag['Key']: tag['Value'] for tag in listed}

    def test_A5_a_stop_is_told_once_with_attributes_to_filter_by(self):
        aws = self.serve(REQUIRED_TAGS)
        event = aws.job('bad', tags={'team': 'vision', 'owner': 'jo'}, HyperParameters={'password': 'hunter2'})
        self.assertEqual(self.codes(aws.invoke(event)[1]), ['stopped', 'notified'])
        message, = self.messages(aws)
        self.assertEqual((message['topic'], message['subject']), (TOPIC, 'Trainwarden stopped bad (required-tags)'))
        self.assertEqual({name: a['value'] for name, a in message['attributes'].items()},
                         {'rule': 'required-tags', 'action': 'stop', 'mode': 'enforce', 'outcome': 'stopped', 'team': 'vision',
                          'owner': 'jo'})  # A8
        text = message['message']
        for said in ('Trainwarden stopped the training job bad', 'Training jobs need the tag model_name.',
                     'tags.model_name is absent', f'{ACCOUNT}, {REGION}', 'jo', f'/sagemaker/home?region={REGION}#/jobs/bad',
                     'Set the tag model_name when you start the job again.'):
            self.assertIn(said, text)
        self.assertNotIn('hunter2', text + aws.log())
        notice, = aws.item('bad')['notices'].values()
        self.assertEqual((notice['done'], notice.get('what', '')), (True, ''))
        self.assertNotIn('trainwarden:told', self.tags(aws, event))
        self.judge(aws)

    def test_A8_localaws_prints_whom_a_notice_is_for(self):
        policy = {**REQUIRED_TAGS, 'notify': {'owner_tag': 'CostOwner'}}
        aws = EmbeddedAws(policy, '--people', functions=('state',))
        self.addCleanup(aws.close)
        event = aws.job('bad', tags={'CostOwner': 'kim', 'owner': 'jo'})
        self.assertEqual(self.codes(aws.invoke(event)[1]), ['stopped', 'notified'])
        self.assertRegex(aws.process.stdout.readline(), r'^localaws: published to trainwarden-people at \S+Z\n$')
        printed = [aws.process.stdout.readline().strip() for _ in range(7)]
        self.assertIn('Subject: Trainwarden stopped bad (required-tags)', printed)
        self.assertIn('owner: kim', printed)

    def test_A5_what_a_job_says_begins_no_line_of_a_notice_or_a_log(self):
        aws = self.serve(REQUIRED_TAGS)
        event = aws.job('forger', tags={'team': 'vision', 'owner': 'jo\u2028Rule:       none\u2029Stop: nothing'})
        self.assertEqual(self.codes(aws.invoke(event)[1]), ['stopped', 'notified'])
        message, = self.messages(aws)
        for text in (message['subject'], message['message'], aws.log()):
            for gone in '\u2028\u2029\u0085\u202e':
                self.assertNotIn(gone, text)
        self.assertIn('owner:      jo\\u2028Rule:       none\\u2029Stop: nothing\n', message['message'])
        self.assertEqual([line.split(':')[0] for line in message['message'].splitlines()].count('Rule'), 1)

    def test_P4_a_notice_is_not_lost_to_the_stop_of_another_rule(self):
        tells = {'name': 'no-owner', 'actions': ['notify'],
                 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'owner': [{'exists': False}]}}}
        aws = self.serve({**REQUIRED_TAGS, 'rules': [*REQUIRED_TAGS['rules'], tells],
                          'notify': {'contact': '#ml-platform'}})
        event = aws.job('both', tags={'team': 'vision'})
        for _ in range(2):
            aws.invoke(event)
        told = {message['attributes']['rule']['value']: message for message in self.messages(aws)}
        self.assertEqual((len(self.messages(aws)), set(told)), (2, {'required-tags', 'no-owner'}))
        self.assertEqual(told['no-owner']['subject'], 'Trainwarden: both matches no-owner: tags.owner is absent')
        self.assertIn('the rule required-tags asks for its stop', told['no-owner']['message'])
        for message in told.values():
            self.assertIn('ask #ml-platform', message['message'])
            self.assertNotRegex(message['message'], r'\.(md|json)\b')

    def test_R1_the_record_tells_what_was_claimed_and_each_call(self):
        aws = self.serve(REQUIRED_TAGS)
        event = aws.job('bad', HyperParameters={'password': 'hunter2'})
        status, record = aws.invoke(event)
        self.assertEqual((record['event']['id'], record['event']['time']), (event['id'], event['time']))
        self.assertTrue(record['event']['status'].startswith('InProgress/'))
        for call in record['calls']:
            self.assertTrue(call['target'], call)
            self.assertRegex(call['at'], r'^\d{4}-\d\d-\d\dT[\d:.]+Z$')
            self.assertGreaterEqual(call['took_ms'], 0)
        self.assertIn(('StopTrainingJob', 'bad'), [(call['operation'], call['target']) for call in record['calls']])
        self.assertNotIn('standing', record)
        self.assertNotIn('hunter2', json.dumps(record))

    def judge(self, aws):
        """Every request of the function, by the shared models' judge where it is."""
        verdict = judge_by_models(aws.record, '--max-skew', '300', '--services', 'sagemaker,sns,dynamodb')
        if verdict is None:
            return
        self.assertEqual(verdict[0], 0, verdict[1] + verdict[2])
        self.assertIn(' 0 invalid', verdict[2])
        self.assertIn('Action=Publish', aws.record.read_text())

    def test_A5_an_event_that_comes_twice_is_told_once(self):
        for policy in (REQUIRED_TAGS, NO_P5_TOLD):
            with self.subTest(rule=policy['rules'][0]['name']):
                aws = self.serve(policy)
                event = aws.job('bad', instance_type='ml.p5.48xlarge')
                self.assertEqual(self.codes(aws.invoke(event)[1]), ['stopped', 'notified'])
                for _ in range(2):
                    status, record = aws.invoke(event)
                    self.assertEqual(status, 200)
                    self.assertNotIn('notified', self.codes(record))
                self.assertEqual(len(self.messages(aws)), 1)

    def test_A5_a_price_says_what_the_stop_saves(self):
        aws = self.serve(NO_P5_TOLD)
        aws.invoke(aws.job('big', instance_type='ml.p5.48xlarge'))
        self.assertRegex(self.messages(aws)[0]['message'], r'50\.00 USD an hour.*saves up to 1,\d\d\d\.\d\d USD')

    def test_A5_a_notice_that_could_not_be_sent_is_taken_over_by_a_sweep_after_two_minutes(self):
        aws = self.serve(NO_P5_TOLD)
        event = aws.job('bad', instance_type='ml.p5.48xlarge')
        aws.control('POST', 'faults', {'operation': 'Publish', 'times': 1, 'status': 403, 'code': 'AuthorizationError'})
        status, error = aws.invoke(event)
        self.assertEqual(status, 502)
        self.assertIn('AuthorizationError', error['errorMessage'])
        # Another delivery finds a fresh claim, and a sweep too: the first may be about to tell.
        aws.invoke(event)
        time.sleep(0.1)  # the index lags behind
        self.assertEqual(aws.control('POST', 'sweep')[1]['jobs']['due'], 1)
        self.assertEqual(self.messages(aws), [])
        aws.move_clock(125)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual([m['subject'] for m in self.messages(aws)], ['Trainwarden stopped bad (no-p5)'])

    def test_A5_publishing_that_failed_once_is_told_by_the_next_try_of_the_same_event(self):
        aws = self.serve(NO_P5_TOLD)
        event = aws.job('bad', instance_type='ml.p5.48xlarge')
        aws.control('POST', 'faults', {'operation': 'Publish', 'times': 1, 'status': 403, 'code': 'AuthorizationError'})
        aws.deliver(event)
        aws.wait_until_idle()
        self.assertEqual([m['subject'] for m in self.messages(aws)], ['Trainwarden stopped bad (no-p5)'])
        self.assertEqual(aws.function()['dead_letters'], 0)

    def test_P3_notify_mode_tells_that_nothing_was_stopped(self):
        aws = self.serve({**REQUIRED_TAGS, 'mode': 'notify', 'notify': {'format': 'json'}})
        event = aws.job('bad')
        for notified in ('notified', 'notified-before'):
            stop, notice = aws.invoke(event)[1]['decisions'][0]['actions']
            self.assertEqual((stop['code'], stop['reason_code'], notice['code']), ('not-done', 'mode-is-notify', notified))
        message, = self.messages(aws)
        notice = json.loads(message['message'])
        self.assertEqual((notice['outcome'], notice['mode']), ('none', 'notify'))
        self.assertIn('Nothing was stopped', notice['text'])
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_P3_observe_mode_tells_nobody(self):
        aws = self.serve({**REQUIRED_TAGS, 'mode': 'observe'})
        aws.invoke(aws.job('bad'))
        self.assertEqual(self.messages(aws), [])

    def test_A5_a_topic_of_the_rules_own_and_a_chats_format(self):
        vision = TOPIC.replace('people', 'vision')
        aws = self.serve({**REQUIRED_TAGS, 'notify': {'format': 'chat'},
                          'rules': [{**REQUIRED_TAGS['rules'][0], 'actions': ['stop', {'notify': {'topic': vision}}]}]})
        aws.invoke(aws.job('bad'))
        message, = self.messages(aws)
        self.assertEqual(message['topic'], vision)
        notice = json.loads(message['message'])
        self.assertEqual((notice['version'], notice['source'], notice['content']['textType']), ('1.0', 'custom', 'client-markdown'))

    def test_A5_tags_are_written_and_the_job_is_stopped_all_the_same(self):
        rule = {**REQUIRED_TAGS['rules'][0], 'actions': ['stop', {'tag': {'cost center': 'unknown'}}, 'notify']}
        aws = self.serve({**REQUIRED_TAGS, 'rules': [rule]})
        event = aws.job('bad')
        self.assertEqual(self.codes(aws.invoke(event)[1]), ['stopped', 'tagged', 'notified'])
        self.assertEqual(self.tags(aws, event)['cost center'], 'unknown')


if __name__ == '__main__':
    unittest.main()
