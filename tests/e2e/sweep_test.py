"""The sweep end to end (S1): what events missed is made up for, by built binaries on the embedded AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest sweep_test
Only the state function runs: alarms call nobody, and placed jobs send no events. Restarts that a sweep finds are in
restart_test.py. Needs no boto3.
"""
import time

import alarm_test
from embedded_aws import EmbeddedAws, state_event

POLICY = {
    **alarm_test.IDLE, 'limits': {'stops_per_sweep': 2},
    'rules': alarm_test.IDLE['rules'] + [
        {'name': 'required-tags',
         'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}}, 'actions': ['stop']},
        {'name': 'watch', 'match': {'job': {'SecondaryStatus': ['Training']}, 'tags': {'watched': ['yes']}},
         'actions': [{'watch': ['gpu-idle']}]}]}


class Sweep(alarm_test.Alarms):
    def serve(self, *options, policy=POLICY, **environment):
        aws = EmbeddedAws(policy, *options, functions=('state',), **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function('state')
        aws.clear_of_the_minute()
        return aws

    def sweep(self, aws, status=200):
        found, answer = aws.control('POST', 'sweep')
        self.assertEqual(found, status, answer)
        return answer

    def of(self, aws, operation):
        return [call['request'] for call in aws.control('GET', 'calls')[1] if call['operation'] == operation]

    def test_an_alarm_whose_message_was_lost_stops_its_job(self):
        aws = self.serve()
        now = time.time()
        for name, values in (('idle', [0, 0, 0]), ('busy', [390, 395, 388])):
            aws.job(name, tags={'team': 'vision'}, age=9000, SecondaryStatusTransitions=[
                {'Status': 'Training', 'StartTime': now - 3600}],
                ResourceConfig={'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': 2, 'VolumeSizeInGB': 10})
            self.put(aws, name, [0, 0, 0], values)
            self.alarm(aws, name)
        report = self.sweep(aws)
        self.assertEqual(report['alarms'], {'seen': 2, 'in_alarm': 2, 'orphans': 0, 'put': 0, 'left': 0})
        self.assertEqual([call['TrainingJobName'] for call in self.of(aws, 'StopTrainingJob')], ['idle'])
        self.assertEqual(self.tags(aws, 'idle')[0]['trainwarden:rule'], 'stop-idle')
        self.sweep(aws)  # the job is stopping by now
        self.assertEqual(len(self.of(aws, 'StopTrainingJob')), 1)

    def test_alarms_of_jobs_that_ended_or_are_gone_are_deleted_and_no_others(self):
        aws = self.serve()
        aws.job('runs', tags={'team': 'vision'}, age=900)
        aws.job('ended', tags={'team': 'vision'}, age=900, TrainingJobStatus='Stopped', SecondaryStatus='MaxRuntimeExceeded')
        for name in ('runs', 'ended', 'gone'):
            self.alarm(aws, name)
        report = self.sweep(aws)
        self.assertEqual(report['alarms']['orphans'], 2)
        self.assertEqual([sorted(call['AlarmNames']) for call in self.of(aws, 'DeleteAlarms')],
                         [['trainwarden/ended/gpu-idle', 'trainwarden/gone/gpu-idle']])
        self.assertEqual(self.sweep(aws)['alarms'], {'seen': 1, 'in_alarm': 0, 'orphans': 0, 'put': 0, 'left': 0})

    def test_a_job_whose_start_was_missed_is_stopped_or_watched(self):
        aws = self.serve()
        now = time.time()
        aws.job('nobodys', age=900)
        aws.job('watched', tags={'team': 'vision', 'watched': 'yes'}, age=900,
                SecondaryStatusTransitions=[{'Status': 'Training', 'StartTime': now - 600}])
        self.sweep(aws)
        self.assertEqual([call['TrainingJobName'] for call in self.of(aws, 'StopTrainingJob')], ['nobodys'])
        self.assertEqual([call['AlarmName'] for call in self.of(aws, 'PutMetricAlarm')], ['trainwarden/watched/gpu-idle'])
        # The alarm stands as planned: the next sweep asks for nothing but the lists and what is due, and looks at nobody.
        before = len(aws.calls())
        report = self.sweep(aws)
        self.assertEqual(report['jobs']['looked_at'], 0, report)
        self.assertLessEqual(set(aws.calls()[before:]), {'DescribeAlarms', 'Search', 'Query', 'GetItem'})

    def test_search_that_lags_stops_nobody(self):
        """The tag came after the job; Search does not know it yet."""
        aws = self.serve('--search-lag', '2')
        aws.job('late', age=7200)
        time.sleep(2.5)
        aws.job('late', tags={'team': 'vision'}, age=7200)
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['running'], report['jobs']['looked_at'], report['jobs']['would_act']), (1, 1, 0), report)
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_more_stops_than_the_limit_are_all_held_back(self):
        aws = self.serve()
        for name in ('a', 'b', 'c'):
            aws.job(name, age=900)
        error = self.sweep(aws, 502)
        self.assertIn('3 jobs would be stopped, and limits.stops_per_sweep is 2: they are held back', error['errorMessage'])
        self.assertNotIn('StopTrainingJob', aws.calls())
        self.assertIn('"HeldBack":3', aws.log())

    def test_more_idle_jobs_than_the_limit_are_all_stopped_and_the_costliest_first(self):
        """P7: their alarms called once, and nothing but the sweep tries again. What lacks a tag is held back, together."""
        aws = self.serve(policy={**POLICY, 'limits': {'stops_per_sweep': 2, 'stops_per_hour': 7}})
        now = time.time()
        sizes = {f'idle-{n}': n + 1 for n in range(8)}
        for name, count in sizes.items():
            aws.job(name, tags={'team': 'vision'}, age=9000, SecondaryStatusTransitions=[
                {'Status': 'Training', 'StartTime': now - 3600}],
                ResourceConfig={'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': count, 'VolumeSizeInGB': 10})
            self.put(aws, name, *([[0, 0, 0]] * count))
            self.alarm(aws, name)
        for name in ('a', 'b', 'c'):
            aws.job(name, age=900)
        error = self.sweep(aws, 502)
        self.assertIn('3 jobs would be stopped, ', error['errorMessage'])
        self.assertEqual([call['TrainingJobName'] for call in self.of(aws, 'StopTrainingJob')],
                         sorted(sizes, key=sizes.get, reverse=True)[:7])

    def test_a_service_that_fails_in_between_costs_nothing_but_time(self):
        aws = self.serve(AWS_MAX_ATTEMPTS='1')
        for name in ('a', 'b'):
            aws.job(name, age=900)
        aws.control('POST', 'faults', {'operation': 'StopTrainingJob', 'times': 1, 'status': 500, 'code': 'InternalFailure'})
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['would_act'], report['jobs']['failed']), (2, 1))
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['would_act'], report['jobs']['failed']), (1, 0))
        self.assertEqual(len(set(call['TrainingJobName'] for call in self.of(aws, 'StopTrainingJob'))), 2)

    def test_a_warm_pool_that_stands_idle_is_released_once_and_no_other(self):
        aws = self.serve(TRAINWARDEN_NOTIFY_TOPIC=alarm_test.TOPIC, policy={
            'version': 1, 'mode': 'enforce', 'prices': {'ml.p4d.24xlarge': 20},
            'rules': [{'name': 'release-idle-pools',
                       'match': {'event': {'trigger': ['sweep']}, 'job': {'WarmPoolStatus': {'Status': ['Available']}},
                                 'warm_pool': {'idle_seconds': [{'numeric': ['>=', 1800]}]}},
                       'actions': ['release', 'notify']}]})
        now = time.time()
        for name, idle, pool in (('idle', 3600, {'Status': 'Available'}), ('fresh', 600, {'Status': 'Available'}),
                                 ('reused', 3600, {'Status': 'Reused', 'ReusedByJob': 'fresh'})):
            aws.job(name, tags={'team': 'vision'}, age=9000, TrainingJobStatus='Stopped', SecondaryStatus='Stopped',
                    TrainingStartTime=now - 8000, TrainingEndTime=now - idle, LastModifiedTime=now - idle, WarmPoolStatus=pool,
                    ResourceConfig={'InstanceType': 'ml.p4d.24xlarge', 'InstanceCount': 8, 'VolumeSizeInGB': 10,
                                    'KeepAlivePeriodInSeconds': 21600})
        for _ in range(2):
            self.sweep(aws)
        self.assertEqual(self.of(aws, 'UpdateTrainingJob'),
                         [{'TrainingJobName': 'idle', 'ResourceConfig': {'KeepAlivePeriodInSeconds': 0}}])
        notices = self.of(aws, 'Publish')
        self.assertEqual([notice['MessageAttributes']['outcome']['StringValue'] for notice in notices], ['released'])
        self.assertRegex(notices[0]['Message'], r'releasing its warm pool saves up to (800|799)\.[0-9]{2} USD')

    def test_a_list_that_does_not_fit_the_time_leaves_the_others_theirs(self):
        """S1: four pages of running jobs are all there is time for; the sweep says so and does what it can."""
        aws = self.serve('--timeout', '15')
        aws.control('PUT', 'jobs', {f'train-{n:03}': {
            'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Starting', 'CreationTime': time.time() - 9000 - n,
            'Tags': {'team': 'vision'}} for n in range(1000)})
        aws.job('ended', tags={'team': 'vision'}, age=900, TrainingJobStatus='Stopped', SecondaryStatus='MaxRuntimeExceeded')
        for name in ('ended', 'gone'):
            self.alarm(aws, name)
        aws.control('POST', 'faults', {'caller': 'functions', 'operation': 'Search', 'times': 100, 'delay_ms': 1500})
        report = self.sweep(aws)
        self.assertFalse(report['complete'], report)
        self.assertLess(report['jobs']['running'], 1000, report)
        self.assertEqual(report['alarms'], {'seen': 2, 'in_alarm': 0, 'orphans': 2, 'put': 0, 'left': 0}, report)
        self.assertEqual(aws.control('GET', 'alarms')[1], [])

    def place_failed(self, aws, name, **members):
        """A job that AWS let fail just now; its event."""
        now = time.time()
        aws.job(name, tags={'team': 'vision'}, age=9000, TrainingJobStatus='Failed', SecondaryStatus='Failed',
                FailureReason='InternalServerError: We encountered an internal error.', TrainingStartTime=now - 8000,
                TrainingEndTime=now, LastModifiedTime=now, RoleArn='arn:aws:iam::111122223333:role/TrainingRole',
                AlgorithmSpecification={'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
                OutputDataConfig={'S3OutputPath': 's3://example-bucket/out/'}, **members)
        return state_event(name, now - 9000, TrainingJobStatus='Failed', SecondaryStatus='Failed')

    def test_copies_that_aws_refused_go_in_turn_and_keep_no_violator_running(self):
        """P7: six copies met a quota, of eight jobs DescribeTrainingJob was throttled until their events were dead letters."""
        aws = self.serve(AWS_MAX_ATTEMPTS='1', TRAINWARDEN_NOTIFY_TOPIC=alarm_test.TOPIC, policy={
            'version': 1, 'mode': 'enforce', 'limits': {'stops_per_sweep': 5}, 'rules': [
                {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed'],
                                                     'FailureReason': [{'prefix': 'InternalServerError'}]}},
                 'actions': ['restart']},
                {'name': 'required-tags', 'actions': ['stop'],
                 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}}}]})
        copied = lambda: [call['request']['TrainingJobName'].rsplit('-r1-', 1)[0] for call in aws.control('GET', 'calls')[1]
                          if call['operation'] == 'CreateTrainingJob' and call['status'] == 200]

        def refuse(operation, code, times):
            aws.control('POST', 'faults', {'operation': operation, 'caller': 'functions', 'times': times, 'status': 400, 'code': code})

        def fail_in_vain(names):
            for event in [self.place_failed(aws, name) for name in names]:
                for _ in range(3):
                    self.assertNotEqual(aws.invoke(event)[0], 200)
            self.assertEqual(aws.control('GET', 'health')[1]['faults'], 0)

        quota, unseen = [f'quota-{n}' for n in range(6)], [f'unseen-{n}' for n in range(8)]
        refuse('CreateTrainingJob', 'ResourceLimitExceeded', 18)
        fail_in_vain(quota)
        refuse('DescribeTrainingJob', 'ThrottlingException', 24)
        fail_in_vain(unseen)
        self.assertEqual(copied(), [])
        # No quota yet: nothing can be copied, and the violator is stopped all the same.
        aws.job('nobodys', age=900)
        refuse('CreateTrainingJob', 'ResourceLimitExceeded', 14)
        time.sleep(0.1)  # the index lags behind
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['in_turn'], report['jobs']['would_act'], copied()), (14, 1, []), report)
        self.assertEqual([call['TrainingJobName'] for call in self.of(aws, 'StopTrainingJob')], ['nobodys'])
        time.sleep(0.1)
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['in_turn'], copied()), (14, quota + unseen), report)
        time.sleep(0.1)
        self.assertEqual(self.sweep(aws)['jobs']['in_turn'], 0)
        self.assertEqual(len(copied()), 14)
        self.assertFalse([message for message in aws.messages() if 'holds back' in message['subject']])

    def test_a_quota_that_never_comes_back_and_an_hour_without_room_end_after_26_hours(self):
        """A2, P7: told once each, whether the copy was owed or waited for its turn; nothing is made after it."""
        aws = self.serve(AWS_MAX_ATTEMPTS='1', TRAINWARDEN_NOTIFY_TOPIC=alarm_test.TOPIC, policy={
            'version': 1, 'mode': 'enforce', 'limits': {'stops_per_sweep': 1, 'restarts_per_hour': 1}, 'rules': [
                {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart']}]})
        told = lambda: sorted((m['attributes']['outcome']['value'], m['subject']) for m in aws.messages()
                              if m['attributes']['outcome']['value'] == 'refused')
        aws.control('POST', 'faults', {'operation': 'CreateTrainingJob', 'caller': 'functions', 'times': 3, 'status': 400,
                                       'code': 'ResourceLimitExceeded'})
        owed = self.place_failed(aws, 'owed')
        for _ in range(3):
            self.assertNotEqual(aws.invoke(owed)[0], 200)
        # What was refused keeps no other out; the next ones meet the hour's limit.
        for name in ('made', 'held-1', 'held-2', 'held-3'):
            self.assertEqual(aws.invoke(self.place_failed(aws, name))[0], 200)
        self.assertEqual([call['TrainingJobName'].split('-r1-')[0] for call in self.of(aws, 'CreateTrainingJob')],
                         ['owed', 'owed', 'owed', 'made'])
        time.sleep(0.1)  # the index lags behind
        self.assertEqual(self.sweep(aws)['jobs']['in_turn'], 4)
        self.assertEqual(told(), [])
        aws.move_clock(26 * 3600 + 60)
        for _ in range(3):
            self.sweep(aws)
            time.sleep(0.1)
            self.assertEqual(len(told()), 4, told())
        self.assertEqual(self.sweep(aws)['jobs']['due'], 0)
        self.assertEqual(len([call for call in self.of(aws, 'CreateTrainingJob')]), 4)

    def test_an_outage_of_capacity_is_waited_for_and_every_job_comes_to_its_copy(self):
        """A4, P7: what is owed was counted when it was begun, and no sweep's limit holds it back."""
        aws = self.serve(TRAINWARDEN_NOTIFY_TOPIC=alarm_test.TOPIC, policy={
            'version': 1, 'mode': 'enforce', 'limits': {'stops_per_sweep': 2}, 'rules': [
                {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart', 'notify']}]})
        now, copied = time.time(), lambda: [call['TrainingJobName'].split('-')[0] for call in self.of(aws, 'CreateTrainingJob')]
        told = lambda: sorted(m['attributes']['outcome']['value'] for m in aws.messages())
        names = [f'j{number}' for number in range(5)]
        for name in names:
            event = aws.job(name, age=9000, TrainingJobStatus='Failed', SecondaryStatus='Failed',
                            FailureReason='CapacityError: Unable to provision requested ML compute capacity.',
                            TrainingEndTime=now, LastModifiedTime=now,
                            RoleArn='arn:aws:iam::111122223333:role/TrainingRole',
                            AlgorithmSpecification={'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
                            OutputDataConfig={'S3OutputPath': 's3://example-bucket/out/'})
            event = state_event(name, event['detail']['CreationTime'] / 1000, TrainingJobStatus='Failed',
                                SecondaryStatus='Failed')
            for _ in range(2):
                self.assertEqual(aws.invoke(event)[0], 200)
        self.assertEqual((told(), copied()), (5 * ['waits'], []))
        time.sleep(0.1)  # the index lags behind
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['due'], copied()), (5, []), report)
        aws.move_clock(16 * 60)
        report = self.sweep(aws)
        self.assertEqual((report['jobs']['due'], sorted(copied())), (5, names), report)
        self.assertEqual(told(), 5 * ['restarted'] + 5 * ['waits'])
        time.sleep(0.1)
        self.assertEqual(self.sweep(aws)['jobs']['due'], 0)
        self.assertEqual(len(copied()), 5)
