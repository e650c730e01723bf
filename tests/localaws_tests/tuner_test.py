"""boto3 against localaws: tuning jobs as boto3 creates, describes, lists and stops them, and AutoML jobs that were placed.

usage: LOCALAWS=path/to/localaws python3 tuner_test.py
Skips, and says so, where boto3 or the binary is missing.
"""
import time
import unittest

from localaws_server import ServiceTest

ROLE = 'arn:aws:iam::111122223333:role/TrainingRole'
ARN = 'arn:aws:sagemaker:us-east-1:111122223333:'


def definition(**more):
    return {'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'}, 'RoleArn': ROLE,
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/'},
            'ResourceConfig': {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 30},
            'StoppingCondition': {'MaxRuntimeInSeconds': 3600}, 'StaticHyperParameters': {'epochs': '10'}, **more}


def tuning_job(name, parallel=2, most=5, **more):
    return {'HyperParameterTuningJobName': name,
            'HyperParameterTuningJobConfig': {'Strategy': 'Bayesian', 'ResourceLimits': {
                'MaxNumberOfTrainingJobs': most, 'MaxParallelTrainingJobs': parallel}},
            **({} if 'TrainingJobDefinitions' in more else {'TrainingJobDefinition': definition()}), **more}


class Tuners(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sagemaker = cls.server.client()

    def create(self, name='Xgb-Tune', **more):
        return self.sagemaker.create_hyper_parameter_tuning_job(**tuning_job(name, **more))['HyperParameterTuningJobArn']

    def describe(self, name='Xgb-Tune'):
        return self.sagemaker.describe_hyper_parameter_tuning_job(HyperParameterTuningJobName=name)

    def jobs(self):
        return [self.sagemaker.describe_training_job(TrainingJobName=one['TrainingJobName'])
                for one in self.sagemaker.list_training_jobs()['TrainingJobSummaries']]

    def wait(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_a_tuning_job_launches_jobs_that_tell_its_arn_in_lower_case(self):
        arn = self.create(Tags=[{'Key': 'team', 'Value': 'vision'}])
        self.assertEqual(arn, f'{ARN}hyper-parameter-tuning-job/Xgb-Tune')
        seen = self.describe()
        self.assertEqual((seen['HyperParameterTuningJobArn'], seen['HyperParameterTuningJobStatus']), (arn, 'InProgress'))
        self.assertEqual(seen['TrainingJobStatusCounters']['InProgress'], 2)
        self.assertEqual(seen['TrainingJobDefinition']['StaticHyperParameters'], {'epochs': '10'})
        jobs = self.jobs()
        self.assertEqual([job['TuningJobArn'] for job in jobs], 2 * [arn.lower()])
        self.assertEqual([job['HyperParameters'] for job in jobs], 2 * [{'epochs': '10'}])
        self.assertEqual(self.sagemaker.list_tags(ResourceArn=jobs[0]['TrainingJobArn'])['Tags'],
                         [{'Key': 'team', 'Value': 'vision'}])

    def test_it_launches_the_next_where_one_has_ended(self):
        self.create()
        self.sagemaker.stop_training_job(TrainingJobName=self.jobs()[0]['TrainingJobName'])
        self.wait(lambda: len(self.jobs()) == 3)
        self.assertEqual(self.describe()['TrainingJobStatusCounters']['InProgress'], 2)

    def test_to_stop_it_ends_the_jobs_of_all_definitions_and_starts_no_more(self):
        self.create(TrainingJobDefinitions=[definition(DefinitionName='a'), definition(DefinitionName='b')])
        self.sagemaker.stop_hyper_parameter_tuning_job(HyperParameterTuningJobName='Xgb-Tune')
        self.assertEqual(self.describe()['HyperParameterTuningJobStatus'], 'Stopping')
        self.assertEqual({job['TrainingJobStatus'] for job in self.jobs()}, {'Stopping'})
        self.refused('ValidationException', 'in status Stopping', self.sagemaker.stop_hyper_parameter_tuning_job,
                     HyperParameterTuningJobName='Xgb-Tune')
        self.wait(lambda: self.describe()['HyperParameterTuningJobStatus'] == 'Stopped')
        self.assertEqual(len(self.jobs()), 2)

    def test_lists_take_a_page_first_and_filter_it_then(self):
        for name in ('Alpha', 'Beta', 'Gamma'):
            self.create(name, parallel=1)
        page = self.sagemaker.list_hyper_parameter_tuning_jobs(NameContains='Gamma', MaxResults=2)
        self.assertEqual(page['HyperParameterTuningJobSummaries'], [])
        page = self.sagemaker.list_hyper_parameter_tuning_jobs(NameContains='Gamma', MaxResults=2, NextToken=page['NextToken'])
        self.assertEqual([one['HyperParameterTuningJobName'] for one in page['HyperParameterTuningJobSummaries']], ['Gamma'])
        self.assertEqual(page['HyperParameterTuningJobSummaries'][0]['HyperParameterTuningJobArn'],
                         f'{ARN}hyper-parameter-tuning-job/gamma')
        self.assertNotIn('NextToken', page)
        self.assertEqual(self.sagemaker.list_hyper_parameter_tuning_jobs(StatusEquals='Stopped')
                         ['HyperParameterTuningJobSummaries'], [])

    def test_errors_are_those_of_sagemaker(self):
        self.create()
        self.refused('ResourceInUse', 'must be unique', self.sagemaker.create_hyper_parameter_tuning_job, **tuning_job('Xgb-Tune'))
        for call in (self.sagemaker.describe_hyper_parameter_tuning_job, self.sagemaker.stop_hyper_parameter_tuning_job):
            self.refused('ResourceNotFound', '', call, HyperParameterTuningJobName='nobody')

    def test_an_automl_job_that_was_placed_is_listed_and_stopped(self):
        self.server.control('PUT', 'automl-jobs/My-AutoML', {})
        one, = self.sagemaker.list_auto_ml_jobs(NameContains='My')['AutoMLJobSummaries']
        self.assertEqual((one['AutoMLJobName'], one['AutoMLJobArn'], one['AutoMLJobStatus']),
                         ('My-AutoML', f'{ARN}automl-job/my-automl', 'InProgress'))
        self.sagemaker.stop_auto_ml_job(AutoMLJobName='My-AutoML')
        self.assertIn(self.sagemaker.list_auto_ml_jobs()['AutoMLJobSummaries'][0]['AutoMLJobStatus'], ('Stopping', 'Stopped'))


if __name__ == '__main__':
    unittest.main()
