"""What AWS says of a job in members that this version does not know, and InstancePreferences, end to end (F16).

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest unknown_members_test
"""
import json
import time
import unittest
import urllib.error
import urllib.request

from embedded_aws import REGION, EmbeddedAws

try:
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
except ImportError:
    AWSRequest = None

P5 = {'version': 1, 'mode': 'enforce', 'prices': {'ml.p5.48xlarge': 50, 'ml.g5.xlarge': 1}, 'rules': [
    {'name': 'p5', 'match': {'resources': {'instance_types': [{'prefix': 'ml.p5'}]}}, 'actions': ['notify']},
    {'name': 'many', 'match': {'resources': {'instance_count': [{'numeric': ['>=', 8]}]}}, 'actions': ['notify']},
    {'name': 'gpus', 'match': {'resources': {'gpus': [{'numeric': ['>=', 64]}]}}, 'actions': ['notify']},
    {'name': 'dear', 'match': {'cost': {'max_usd': [{'numeric': ['>=', 4000]}]}}, 'actions': ['notify']},
    {'name': 'rate', 'match': {'cost': {'usd_per_hour': [{'numeric': ['>=', 400]}]}}, 'actions': ['notify']},
    {'name': 'only-g5', 'match': {'job': {'TrainingJobStatus': ['InProgress']}},
     'unless': {'resources': {'instance_types': [{'prefix': 'ml.g5.'}]}}, 'actions': ['notify']}]}
TELL = {'version': 1, 'mode': 'enforce', 'prices': {'ml.g5.xlarge': 1}, 'rules': [
    {'name': 'no-machines', 'match': {'resources': {'instance_types': [{'exists': False}]}}, 'actions': ['stop']},
    {'name': 'free', 'match': {'cost': {'max_usd': [{'exists': False}]}}, 'actions': ['stop']},
    {'name': 'tell', 'match': {'resources': {'unknown_members': [{'exists': True}]}}, 'actions': ['notify']}]}
AGAIN = {'version': 1, 'mode': 'enforce', 'rules': [
    {'name': 'again', 'match': {'job': {'TrainingJobStatus': ['Failed']}},
     'actions': [{'restart': {'instance_types': ['ml.g5.xlarge']}}, 'notify']}]}
PREFERENCES = [{'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1}, {'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 8}]


class UnknownMembers(unittest.TestCase):
    def serve(self, policy):
        aws = EmbeddedAws(policy, functions=('state',))
        self.addCleanup(aws.close)
        return aws

    def test_F16_eight_p5_in_each_form_match_the_same_rules(self):
        aws = self.serve(P5)
        forms = {
            'type': {'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 8},
            'groups': {'InstanceCount': 0, 'InstanceGroups': [
                {'InstanceGroupName': 'a', 'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 8}]},
            'each-count': {'InstancePreferences': PREFERENCES},
            'one-count': {'InstanceCount': 8, 'InstancePreferences': [{'InstanceType': 'ml.p5.48xlarge'}]},
            'selected': {'InstancePreferences': PREFERENCES, 'SelectedInstanceType': 'ml.p5.48xlarge',
                         'SelectedInstanceCount': 8},
            'filled': {'InstancePreferences': PREFERENCES, 'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 8}}
        found = {}
        for name, resources in forms.items():
            status, record = aws.invoke(aws.job(name, ResourceConfig=resources))
            self.assertEqual((status, record['skipped']), (200, []))
            found[name] = [decision['rule'] for decision in record['decisions']]
            if name == 'each-count':
                because = {one['path']: one['value'] for decision in record['decisions'] for one in decision['because']}
                self.assertEqual(because['resources.instance_count'], 'at most 8')
                self.assertEqual(because['cost.usd_per_hour'], 'at most 400')
        self.assertEqual(found, dict.fromkeys(forms, [rule['name'] for rule in P5['rules']]))

    def test_F16_what_nobody_knows_is_skipped_told_and_counted_and_nothing_comes_again(self):
        aws = self.serve(TELL)
        event = aws.job('fleet', ResourceConfig={'InstanceFleet': {'Of': 'ml.p5.48xlarge'}, 'VolumeSizeInGB': 10})
        status, record = aws.invoke(event)
        self.assertEqual(status, 200)
        self.assertEqual(record['unknown_members'], ['ResourceConfig.InstanceFleet'])
        self.assertEqual([(one['rule'], one['unavailable_sources'], one['comes_again']) for one in record['skipped']],
                         [('no-machines', ['machines'], False), ('free', ['machines'], False)])
        self.assertEqual(record['skipped'][0]['error'],
                         'machines: `ResourceConfig.InstanceFleet` is not known to this version')
        self.assertEqual([decision['rule'] for decision in record['decisions']], ['tell'])
        self.assertIn('"UnknownMembers":1', aws.log())
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_F16_sweeps_leave_it_alone_and_find_what_is_known(self):
        aws = self.serve(TELL)
        aws.job('fleet', ResourceConfig={'InstanceFleet': {'Of': 'ml.p5.48xlarge'}})
        aws.job('plain')
        status, answer = aws.control('POST', 'sweep')
        self.assertEqual(status, 200, answer)
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_A3_a_member_inside_what_create_takes_refuses_the_copy_by_name(self):
        aws = self.serve(AGAIN)
        status, record = aws.invoke(self.failed(aws, 'nested', ResourceConfig={
            'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 10, 'Fleet': {'A': 1}}))
        self.assertEqual(status, 200)
        restart = self.restart_of(record)
        self.assertEqual(restart['reason_code'], 'unknown-member')
        self.assertIn('`ResourceConfig.Fleet` of its description is not known', restart['result'])
        self.assertNotIn('CreateTrainingJob', aws.calls())

    def test_A3_one_at_the_top_is_told_and_left_out_and_preferences_stay(self):
        aws = self.serve(AGAIN)
        _, record = aws.invoke(self.failed(aws, 'top', EnergyReport={'Joules': 5}))
        restart = self.restart_of(record)
        self.assertEqual((restart['code'], restart['reason_code']), ('copied', 'members-left-out'))
        self.assertIn('without `EnergyReport` of its description', restart['result'])
        _, record = aws.invoke(self.failed(aws, 'preferences', ResourceConfig={
            'InstancePreferences': PREFERENCES, 'VolumeSizeInGB': 10, 'SelectedInstanceType': 'ml.p5.48xlarge',
            'SelectedInstanceCount': 8}, EnableManagedSpotTraining=False))
        restart = self.restart_of(record)
        self.assertEqual((restart['code'], restart['reason_code']), ('copied', 'preferences-kept'))
        copies = [request['body'] for request in map(json.loads, aws.record.read_text().splitlines())
                  if 'CreateTrainingJob' in json.dumps(request['headers'])]
        copy = json.loads(copies[-1]) if isinstance(copies[-1], str) else copies[-1]
        self.assertEqual(copy['ResourceConfig'], {'InstancePreferences': PREFERENCES, 'VolumeSizeInGB': 10})
        self.assertNotIn('EnableManagedSpotTraining', copy)

    def failed(self, aws, name, **members):
        now = time.time()
        event = aws.job(name, age=7200, TrainingJobStatus='Failed', SecondaryStatus='Failed',
                        FailureReason='InternalServerError: We encountered an internal error. Please try again.',
                        TrainingStartTime=now - 7000, TrainingEndTime=now - 60, LastModifiedTime=now - 60,
                        RoleArn='arn:aws:iam::111122223333:role/Training',
                        AlgorithmSpecification={'TrainingImage': 'image', 'TrainingInputMode': 'File'},
                        OutputDataConfig={'S3OutputPath': 's3://bucket/out'}, **members)
        event['detail'].update(TrainingJobStatus='Failed', SecondaryStatus='Failed')
        return event

    def restart_of(self, record):
        found = [action for decision in record['decisions'] for action in decision['actions']
                 if action['action'] == 'restart']
        self.assertEqual(len(found), 1, record)
        return found[0]

    @unittest.skipUnless(AWSRequest, 'python3-boto3 is not installed')
    def test_localaws_takes_preferences_and_tells_what_it_selected(self):
        aws = self.serve({'version': 1, 'rules': P5['rules']})

        def call(operation, **members):
            request = AWSRequest('POST', aws.url, data=json.dumps(members), headers={
                'X-Amz-Target': f'SageMaker.{operation}', 'Content-Type': 'application/x-amz-json-1.1'})
            SigV4Auth(Credentials('test', 'test'), 'sagemaker', REGION).add_auth(request)
            try:
                with urllib.request.urlopen(urllib.request.Request(aws.url, request.data.encode(),
                                                                   dict(request.headers))) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)

        def create(name, resources, **more):
            return call('CreateTrainingJob', TrainingJobName=name, RoleArn='arn:aws:iam::111122223333:role/Training',
                        AlgorithmSpecification={'TrainingImage': 'image', 'TrainingInputMode': 'File'},
                        OutputDataConfig={'S3OutputPath': 's3://bucket/out'},
                        ResourceConfig={'VolumeSizeInGB': 10, **resources}, **more)

        status, answer = create('a', {'InstancePreferences': PREFERENCES})
        self.assertEqual(status, 200, answer)
        _, described = call('DescribeTrainingJob', TrainingJobName='a')
        self.assertNotIn('SelectedInstanceType', described['ResourceConfig'])
        aws.wait(lambda: 'SelectedInstanceType' in call('DescribeTrainingJob', TrainingJobName='a')[1]['ResourceConfig'],
                 what='one is selected')
        _, described = call('DescribeTrainingJob', TrainingJobName='a')
        self.assertEqual(described['ResourceConfig'], {'VolumeSizeInGB': 10, 'InstancePreferences': PREFERENCES,
                                                       'SelectedInstanceType': 'ml.g5.xlarge', 'SelectedInstanceCount': 1})
        for name, resources, more in (
                ('both', {'InstancePreferences': PREFERENCES, 'InstanceCount': 2}, {}),
                ('type', {'InstancePreferences': PREFERENCES, 'InstanceType': 'ml.g5.xlarge'}, {}),
                ('spot', {'InstancePreferences': PREFERENCES}, {'EnableManagedSpotTraining': True}),
                ('read-only', {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'SelectedInstanceType': 'ml.g5.xlarge'}, {}),
                ('twice', {'InstanceCount': 1, 'InstancePreferences': [{'InstanceType': 'ml.g5.xlarge'}] * 2}, {})):
            with self.subTest(name):
                self.assertEqual(create(name, resources, **more)[0], 400)


if __name__ == '__main__':
    unittest.main()
