"""Metrics of CloudWatch, with boto3.

usage: LOCALAWS=path/to/localaws python3 metrics_test.py
"""
import datetime
import time
import unittest

from cloudwatch_support import NAMESPACE, alarm, host, math_alarm, stat, CloudWatchTest


class Metrics(CloudWatchTest):
    def test_metrics_put_without_a_signature_count_too(self):
        self.cloudwatch.put_metric_alarm(**alarm())
        minute = int(time.time()) // 60 * 60
        self.assertEqual(self.server.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': 'GPUUtilization', 'Dimensions': host(1), 'Value': 0, 'Timestamp': minute - 60 * n}]}
            for n in (1, 2, 3)]), {'count': 3})
        self.assertEqual(self.state(), 'ALARM')

    def test_metric_data(self):
        self.put([10, 20, None, 40])
        self.put([1, 2, 3, 4], 2)
        minute = int(time.time()) // 60 * 60
        window = {'StartTime': datetime.datetime.fromtimestamp(minute - 240, datetime.timezone.utc),
                  'EndTime': datetime.datetime.fromtimestamp(minute, datetime.timezone.utc)}

        def get(*queries, **more):
            found = self.cloudwatch.get_metric_data(MetricDataQueries=list(queries), **window, **more)
            return {r['Id']: r for r in found['MetricDataResults']}
        found = get(stat('m1', 1), stat('m2', 2, ReturnData=False), {'Id': 'e', 'Expression': 'm1/m2'},
                    {'Id': 'f', 'Expression': 'MAX(METRICS())'})
        self.assertEqual([found['m1']['Values'], found['e']['Values'], found['f']['Values']],
                         [[40, 20, 10], [10, 0, 10, 10], [40, 3, 20, 10]])
        self.assertEqual(list(found), ['m1', 'e', 'f'])
        self.assertEqual([t.timestamp() - minute for t in found['m1']['Timestamps']], [-60, -180, -240])
        self.assertEqual((found['m1']['Label'], found['m1']['StatusCode']), ('GPUUtilization', 'Complete'))
        self.assertEqual(get(stat('m1', 1), ScanBy='TimestampAscending')['m1']['Values'], [10, 20, 40])
        wide = stat('m1', 1)
        wide['MetricStat'].update(Period=120, Stat='Average')
        self.assertEqual(get(wide, ScanBy='TimestampAscending')['m1']['Values'], [15, 40])
        pages = list(self.cloudwatch.get_paginator('get_metric_data').paginate(
            MetricDataQueries=[stat('m1', 1), stat('m2', 2)], **window, PaginationConfig={'PageSize': 5}))
        self.assertEqual([[r['Values'] for r in p['MetricDataResults']] for p in pages],
                         [[[40, 20, 10], [4, 3]], [[], [2, 1]]])
        window['EndTime'] = window['StartTime']
        with self.assertRaisesRegex(Exception, 'StartTime must be less than the parameter EndTime'):
            get(stat('m1', 1))

    def test_a_search_finds_all_metrics_of_these_dimensions(self):
        self.put([1, 2])
        minute = int(time.time()) // 60 * 60
        at = datetime.datetime.fromtimestamp(minute - 60, datetime.timezone.utc)
        self.cloudwatch.put_metric_data(Namespace=NAMESPACE, MetricData=[
            {'MetricName': name, 'Timestamp': at, 'Value': 0.5, 'Dimensions': [{'Name': 'TrainingJobName', 'Value': job}]}
            for name, job in (('train:loss', 'a'), ('train:loss', 'b'), ('val:loss', 'a'))])
        window = {'StartTime': at - datetime.timedelta(minutes=5), 'EndTime': at + datetime.timedelta(minutes=1)}

        def search(text, **more):
            found = self.cloudwatch.get_metric_data(MetricDataQueries=[{'Id': 'any', 'Expression': text}], **window, **more)
            return [(r['Id'], r['Label'], r['Values']) for r in found['MetricDataResults']]
        schema = '{"/aws/sagemaker/TrainingJobs",TrainingJobName}'
        self.assertEqual(search(f"SEARCH('{schema}', 'SampleCount', 60)"),
                         [('any', 'a train:loss', [1]), ('any', 'b train:loss', [1]), ('any', 'a val:loss', [1])])
        self.assertEqual(search(f"""SEARCH('{schema} MetricName="val:loss"', 'Sum')"""), [('any', 'a val:loss', [0.5])])
        self.assertEqual(search("""SEARCH('{"/aws/sagemaker/TrainingJobs",Nothing}', 'Sum', 60)"""), [])
        for wrong in ("SEARCH('{/aws/sagemaker/TrainingJobs,TrainingJobName}', 'Sum', 60)", f"SEARCH('{schema}', 'Most', 60)",
                      f"SEARCH('{schema}', 'Sum', 61)", f"SEARCH('{schema}'"):
            with self.assertRaisesRegex(Exception, "Error in expression 'any'"):
                search(wrong)
        self.refused('ValidationError', 'SEARCH', self.cloudwatch.put_metric_alarm,
                     **math_alarm(f"SEARCH('{schema}', 'Sum', 60)"))

    def test_statistics(self):
        at = datetime.datetime.fromtimestamp(int(time.time()) // 60 * 60 - 60, datetime.timezone.utc)
        self.cloudwatch.put_metric_data(Namespace='Own', MetricData=[
            {'MetricName': 'x', 'Timestamp': at, 'Values': [1, 2, 9], 'Counts': [2, 1, 1]},
            {'MetricName': 'set', 'Timestamp': at,
             'StatisticValues': {'SampleCount': 4, 'Sum': 10, 'Minimum': 1, 'Maximum': 4}}])
        for name, statistic, expected in (('x', 'SampleCount', 4), ('x', 'Sum', 13), ('x', 'Average', 3.25),
                                          ('x', 'Minimum', 1), ('x', 'Maximum', 9), ('x', 'p50', 1.5), ('x', 'p100', 9),
                                          ('set', 'Average', 2.5), ('set', 'Maximum', 4)):
            found = self.cloudwatch.get_metric_data(
                MetricDataQueries=[{'Id': 'q', 'MetricStat': {'Metric': {'Namespace': 'Own', 'MetricName': name},
                                                              'Period': 60, 'Stat': statistic}}],
                StartTime=at, EndTime=at + datetime.timedelta(minutes=1))
            self.assertEqual(found['MetricDataResults'][0]['Values'], [expected], (name, statistic))

    def test_wrong_data_is_refused_as_a_whole(self):
        good = {'MetricName': 'x', 'Value': 1.0}
        for code, text, datum in (
                ('InvalidParameterCombination', 'mutually exclusive', {**good, 'Values': [1.0]}),
                ('MissingParameter', 'At least one', {'MetricName': 'x'}),
                ('InvalidParameterValue', 'two weeks', {**good, 'Timestamp': datetime.datetime(2020, 1, 1)}),
                ('InvalidParameterValue', 'same size', {'MetricName': 'x', 'Values': [1.0, 2.0], 'Counts': [1.0]})):
            with self.subTest(text=text):
                self.refused(code, text, self.cloudwatch.put_metric_data, Namespace='Own', MetricData=[good, datum])
        self.refused('InvalidParameterValue', 'Namespace', self.cloudwatch.put_metric_data, Namespace='AWS/EC2',
                     MetricData=[good])


if __name__ == '__main__':
    unittest.main()
