// The function that people write with the AWS SDK for JavaScript: describe, list tags, tag, stop.
import {
  AddTagsCommand, DescribeTrainingJobCommand, ListTagsCommand, SageMakerClient, StopTrainingJobCommand,
} from '@aws-sdk/client-sagemaker';

const sagemaker = new SageMakerClient({});

export const handler = async (event) => {
  const told = event.detail;
  if (told.TrainingJobStatus !== 'InProgress') return { decisions: [] };
  const TrainingJobName = told.TrainingJobName;
  const job = await sagemaker.send(new DescribeTrainingJobCommand({ TrainingJobName }));
  const ResourceArn = job.TrainingJobArn;
  const { Tags } = await sagemaker.send(new ListTagsCommand({ ResourceArn }));
  if (job.TrainingJobStatus !== 'InProgress' || Tags.some((tag) => tag.Key === 'model_name')) return { decisions: [] };
  await sagemaker.send(new AddTagsCommand({ ResourceArn, Tags: [{ Key: 'stopped-by', Value: 'required-tags' }] }));
  await sagemaker.send(new StopTrainingJobCommand({ TrainingJobName }));
  return { decisions: ['stopped'] };
};
