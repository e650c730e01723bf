"""S3's buckets and ListObjectsV2, with boto3.

usage: LOCALAWS=path/to/localaws python3 s3_test.py
"""
import datetime
import unittest

from localaws_server import REGION, ServiceTest


class S3(ServiceTest):
    def setUp(self):
        super().setUp()
        self.s3 = self.server.client('s3')
        self.s3.create_bucket(Bucket='models')

    def put(self, *keys):
        for key in keys:
            self.s3.put_object(Bucket='models', Key=key, Body=b'weights')

    def keys(self, **arguments):
        return [one['Key'] for one in self.s3.list_objects_v2(Bucket='models', **arguments).get('Contents', [])]

    def test_objects_are_listed_by_their_keys(self):
        self.put('run-1/b', 'run-1/a', 'run-10/a')
        answer = self.s3.list_objects_v2(Bucket='models', Prefix='run-1/')
        self.assertEqual([one['Key'] for one in answer['Contents']], ['run-1/a', 'run-1/b'])
        self.assertEqual((answer['KeyCount'], answer['IsTruncated'], answer['Prefix']), (2, False, 'run-1/'))
        self.assertEqual(answer['Contents'][0]['Size'], len(b'weights'))
        age = datetime.datetime.now(datetime.timezone.utc) - answer['Contents'][0]['LastModified']
        self.assertLess(abs(age.total_seconds()), 60)
        self.assertEqual(self.keys(StartAfter='run-1/b'), ['run-10/a'])

    def test_an_empty_folder_has_no_contents(self):
        answer = self.s3.list_objects_v2(Bucket='models', Prefix='run-2/')
        self.assertNotIn('Contents', answer)
        self.assertEqual(answer['KeyCount'], 0)

    def test_keys_may_hold_anything(self):
        keys = ['a b', 'a&b<c>', 'a+b', 'a/\u00fc', "it's 100%"]
        self.put(*keys)
        self.assertEqual(self.keys(), sorted(keys, key=str.encode))
        self.assertEqual(self.keys(Prefix='a&'), ['a&b<c>'])

    def test_a_long_list_has_pages(self):
        self.put(*(f'run-1/{i}' for i in range(7)))
        pages = list(self.s3.get_paginator('list_objects_v2').paginate(
            Bucket='models', Prefix='run-1/', PaginationConfig={'PageSize': 3}))
        self.assertEqual([[one['Key'][-1] for one in page['Contents']] for page in pages], [list('012'), list('345'), ['6']])
        self.assertEqual([page['IsTruncated'] for page in pages], [True, True, False])

    def test_what_is_refused(self):
        self.refused('NoSuchBucket', 'The specified bucket does not exist', self.s3.list_objects_v2, 404, Bucket='nobodys')
        self.refused('NoSuchBucket', 'does not exist', self.s3.put_object, 404, Bucket='nobodys', Key='a', Body=b'')
        self.refused('BucketAlreadyOwnedByYou', 'already own', self.s3.create_bucket, 409, Bucket='models')
        self.refused('SignatureDoesNotMatch', 'signature', self.server.client('s3', secret='wrong').list_objects_v2, 403,
                     Bucket='models')
        self.refused('InvalidAccessKeyId', 'does not exist', self.server.client('s3', key='other').list_objects_v2, 403,
                     Bucket='models')

    def test_what_goes_wrong_on_request(self):
        for code, seen, status in (('AccessDeniedException', 'AccessDenied', 403), ('ThrottlingException', 'SlowDown', 503)):
            self.server.control('POST', 'faults', {'operation': 'ListObjectsV2', 'status': 400, 'code': code})
            self.refused(seen, '', self.s3.list_objects_v2, status, Bucket='models')

    def test_it_is_forgotten_with_the_rest(self):
        self.server.control('POST', 'reset', {})
        self.refused('NoSuchBucket', '', self.s3.list_objects_v2, 404, Bucket='models')

    def test_the_region_is_the_servers(self):
        self.assertEqual(self.s3.meta.region_name, REGION)


if __name__ == '__main__':
    unittest.main()
