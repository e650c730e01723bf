// Permissions, input data, remote services and the network.
#include <array>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {
namespace {

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
    // ---- permissions
    {Rank::kCause, "permission", kOnce,
     "expiredtoken | token included in the request is expired | token has expired | "
     "credentials have expired | token expired | credentials expired | "
     "refreshed credentials are still expired | security token * expired | requesttimetooskewed | "
     "sso session | credential refresh | error when retrieving credentials | request has expired | "
     "requestexpired | expiredtokenexception | credentials are expired | credential * expired | "
     "token * has expired | token is expired | session has expired | session expired | "
     "certificate has expired | signature expired | jwt expired | token has been expired",
     "credentials ran out; new ones are given to a new job"},
    {Rank::kCause, "data", kNo,
     "no s3 objects found | s3 objects were found | no objects found | no files found | "
     "validate_data_file_path | got unknown format | unknown image | hidden file | "
     "unable to read data | data matches the requested | num_samples=0 | found 0 files | "
     "found 0 images | no images found | no valid file | 0 sample(s) | no such key | nosuchkey | "
     "specified key does not exist | nosuchbucket | bucket does not exist | "
     "headobject operation: not found | (404) when calling | 404 * headobject | no data found | "
     "no data was found | no training data | dataset is empty | empty dataset | empty data | "
     "s3 uri * not found | file not found in s3 | input data * not found | "
     "path does not exist: s3 | emptydataerror | file is empty | matched no files | "
     "no files matched | does not contain any | contains no files | contains no data | "
     "no such object | no input data | no input files | no matching files | no data files | "
     "no (supported) data files | no such dataset | empty input | is empty. | channel is empty | "
     "folder is empty | directory is empty | manifest * empty | no images in | no records | "
     "zero records | 0 records | has no data | zero-length | 0 samples | found array with 0 | "
     "num_samples should be a positive | length of the dataset is 0 | object does not exist | "
     "key does not exist | blob does not exist | no such bucket | "
     "unable to load weights from pytorch checkpoint | unable to load weights from | "
     "no checkpoint found | checkpoint not found | checkpoint * missing | cannot find checkpoint | "
     "can't find checkpoint | couldn't find * checkpoint | objects were found under | "
     "not list any objects | no objects were | changed during download | not find * data at | "
     "not find * s3:// | not found at s3:// | nothing found at | not found in s3://",
     "the input is not there",
     "memory"},
    {Rank::kCause, "config", kNo,
     "manifest unknown | manifest for * not found | manifest not found | "
     "cannot find the requested image | requested image * not found | image * not found | "
     "imagenotfound | invalidimagename | repositorynotfoundexception | "
     "repository * does not exist in the registry | repository does not exist | "
     "fatal: repository * not found | failed to resolve reference | no match for platform | "
     "no matching manifest | exec format error | unsupported manifest | "
     "executable file not found | container entrypoint | "
     "invalid reference format | no such image | does not have an entrypoint | unknown runtime | "
     "no such manifest | tag does not exist | image does not exist | invalid volume | "
     "unable to find the specified executable | unable to launch the specified application | "
     "could not access or execute | illegal char in image | exec * failed: no such file | "
     "exec user process | "
     "execvp * no such file | execve * no such file | "
     "unknown flag: | invalid mount | secret * not found | configmap * not found | "
     "cannot find the secret | entrypoint * not found | bad interpreter | cannot execute binary | "
     "wrong architecture | platform * does not match | failed to resolve ref",
     "the image does not exist or does not fit the machine",
     "denied | permissions are incorrect | unauthorized | pull access | timeout | "
     "request canceled | : eof | no space | .jpg | .jpeg | .png | .tif | .bmp | .npy"},
    {Rank::kCause, "permission", kNo,
     "forbidden: 403 | 403 get | 403 post | 403 put | is forbidden | error: forbidden | "
     ": forbidden | role * trust | no permission | marketplace offering | "
     "marketplace subscription | accessdenied | access denied | not authorized | unauthorized | "
     "401 client error | 403 client error | 403 forbidden | (403) when calling | (403): | "
     "unable to assume | could not assume | cannot assume | assume role | assumerole | "
     "does not have permission | do not have permission | not have sufficient permission | "
     "insufficient permission | missing permission | permissions are incorrect | "
     "permission denied | permissiondenied | errno 13] | gated repo | gatedrepo | "
     "access to model * restricted | not subscribed | invalidclienttokenid | unrecognizedclient | "
     "signaturedoesnotmatch | invalidaccesskeyid | unable to locate credentials | nocredentials | "
     "partialcredentials | no basic auth credentials | pull access | kmsaccessdenied | "
     "kms key * disabled | kms.disabled | kms.notfound | kms.invalid | kms.access | passrole | "
     "pass role | cross-account | ciphertext refers to a customer master key | kms master key | "
     "customer master key | kms:decrypt | kmsinvalidstate | kms * denied | invalid credentials | "
     "invalid username or password | invalid token | authenticationerror | status: 401 | "
     "code: 401 | http 401 | error 401 | http 403 | error 403 | status code 403 | "
     "status code 401 | status code: 403 | status code: 401 | operation not permitted | "
     "must have access | requested access to the resource is denied | explicit deny | "
     "no identity-based policy | permission to perform | no access to | you don't have access | "
     "do not have access | does not have access | doesn't have access | don't have permission | "
     "doesn't have permission | have access to it at | access to this resource | "
     "lacks permission | lack of permission | permission error | authorization failed | "
     "authentication failed | authentication required | failed to authenticate | invalid api key | "
     "incorrect api key | bad credentials | could not read username | "
     "access to the requested resource | cannot access gated | awaiting a review | "
     "access to * restricted | iam role * not | role * does not exist | role arn | service role | "
     "execution role | lakeformation | unauthorised | unauthenticated | not allowed to access | "
     "not allowed to perform | is not allowed to | kms key | key policy | bucket policy | "
     "bucket acl | image or its permissions | no valid credential | could not load credentials | "
     "credentials from any providers | credentials not available | missing credentials | denied: | "
     "response from daemon * denied | manifests/* denied | "
     "http 407 | proxy authentication required | access is denied | permission to access | "
     "has no access | requires authentication | does not have * permission | "
     "do not have * permission | not have * permission | not permitted to use | does not grant | "
     "not granted",
     "somebody may not do that",
     "publickey"},
    {Rank::kCause, "data", kNo,
     "unexpected end of file | eoferror | input data * invalid | invalid recordio | "
     "libsvm format | invalid lst | lst file | label packed | clashes with it | "
     "fail to read any data | could not convert string to float | error no file named | "
     "no valid checkpoint found | label size mismatched | first column is label | crc32 mismatch | "
     "registered for contenttype | no file found in | read records in the json file | "
     "dataset_loader | truncated | libpng error | libjpeg error | decoding failed | "
     "invalid data found when processing input | tarfile.readerror | can't read data | "
     "unable to open object | unable to parse | failed to parse | could not parse | cannot parse | "
     "error tokenizing data | parsererror | file is truncated | image file is truncated | "
     "truncated file | truncated image | truncated record | broken data stream | "
     "cannot identify image | unidentifiedimage | corrupt | datalosserror | data loss | "
     "data_loss | premature end of | not a zip file | badzipfile | not a gzipped file | "
     "unexpected end of data | compressed file ended | crc check failed | invalid load key | "
     "pickle data was truncated | ran out of input | unpicklingerror | "
     "pytorchstreamreader failed | storage has wrong size | central directory | "
     "invalid header or archive | safetensorerror | headertoolarge | "
     "invalidheaderdeserialization | incompletemetadata | metadataincomplete | "
     "truncated or * corrupted | not a sstable | unable to open * signature not found | "
     "file signature | unable to open file | bad magic | jsondecodeerror | unicodedecodeerror | "
     "codec can't decode | invalid utf-8 | arrowinvalid | parquet magic | not a parquet file | "
     "magic bytes | svmlight | content-type * unsupported | unsupported content | "
     "blankspace and colon not found | csv file | malformed | bad input data | "
     "wrong number of columns | number of columns | non-numeric | input contains nan | "
     "contains nan, infinity | contains infinity | label must be | labels must be | "
     "missing label | unsupported format | invalid image | cannot load image | "
     "could not load image | decode jpeg | jpeg * corrupt | moov atom not found | "
     "no such channel * data | dataset * not found | datasetnotfound | schema mismatch | "
     "insufficient data | not valid json | invalid json | json parse error | column contains nan | "
     "out of bounds label | number of classes does not match | annotation * not found | "
     "annotations are not | annotation * invalid | invalid annotation | fasttext format | "
     "wrong format | incorrect format | invalid format | format is invalid | unexpected format | "
     "unknown file format | unrecognized file | not in the expected format | bad format | "
     "column * missing | missing column | missing columns | column * not found | "
     "columns * missing | column names don't match | couldn't cast | unexpected column | "
     "null values | missing values | contains null | contains missing | duplicate keys | "
     "encoding error | illegal character | unescaped | unterminated string | expecting value: | "
     "extra data: | expecting property name | extra bytes | bad header | invalid header | "
     "checksum * mismatch | checksum mismatch | checksums didn't match | hash mismatch | "
     "md5 mismatch | md5 * not match | checksum * not match | etag mismatch | incomplete file | "
     "file is incomplete | partially downloaded | damaged | not readable | unreadable | "
     "invalid archive | invalid zip | invalid tar | bad zip | gzip * invalid | crc error | "
     "crc mismatch | error -3 while decompressing | error -5 while decompressing | "
     "cannot be decoded | failed to decode | unable to decode | could not decode | decode error | "
     "decoding error | error decoding | failed to read image | invalid jpeg | invalid png | "
     "bad jpeg | recordio * invalid | invalid record | corrupted record | invalid magic | "
     "magic number | bad marshal | unsupported pickle | invalid checkpoint | bad checkpoint | "
     "broken checkpoint | error while deserializing | failed to deserialize | "
     "failed to load * dataset | dataset generation | "
     "error occurred while generating the dataset | generating the dataset | "
     "wrong number of fields | expected * fields | inconsistent number | lengths must match to | "
     "bounding box * invalid | class label * invalid | invalid label | labels contain | "
     "label contains | special json characters | is not a sequence file | not a parquet | "
     "invalid parquet | could not open parquet | schema * differ | schema * not match | "
     "data store | not enough annotation | empty * file | delimiter | error when parsing | "
     "error parsing | error while parsing | parsing error | parse error | failed parsing | "
     "label must be in [0,1] | image not found * .png | failed to load * data | "
     "failed to load * file | failed to load * image | failed to load the * data | "
     "unable to load * data | could not load * data | cannot load * data | error loading * data | "
     "image not found * .jpg | image not found * .jpeg | please ensure the file is in | "
     "no data in | not a valid path | feature_names mismatch | feature names mismatch | "
     "feature * mismatch | input data * mismatch | was not found in the * channel | "
     "label must be nonnegative | only contains pos or neg | no labels found | without labels | "
     "failed to interpret file | line contains nul | invalid hash value | "
     "consistency check failed | parsefromarray | have no annotations | has no annotations | "
     "no annotations found | imread_( | must follow * format",
     "the input or the checkpoint is missing pieces, malformed or corrupt",
     "authorizationheader | [0, num_class | truncation | truncated to | longer than the | "
     "max_length | connection | socket | corrupted/incomplete data | free(): | malloc | "
     "double free | parse config | hyperparameter | corrupted size | corrupted double | "
     "linked list corrupted | errors: 0 | image uri | elastic container registry | docker image"},

    // ---- remote services
    {Rank::kCause, "service", kOnce,
     "pipe channel timed out | pipe channel * timed out | storage resources are insufficient",
     "a service that fails the same way for too much data"},
    {Rank::kCause, "service", kYes,
     "(slowdown | slowdown: | slowdown, | 'slowdown | \"slowdown | name: slowdown | "
     "code: slowdown | code>slowdown | slow down. | throttling | throttled | throttlingexception | "
     "rate limit exceeded | rate limited | rate exceeded | ratelimiterror | please slow down | "
     "error 503: slow | reduce your request rate | 503 service | service unavailable | "
     "serviceunavailable | service is unavailable | 503 server error | (503) when calling | "
     "error 503 | http 503 | response code: 503 | status code: 503 | status code 503 | "
     "status 503 | code: 503 | (503): | 503 slow | 502 bad gateway | bad gateway | "
     "502 server error | error 502 | http 502 | status code: 502 | status code 502 | 504 gateway | "
     "gateway time-out | gateway timeout | 504 server error | error 504 | http 504 | "
     "status code: 504 | status code 504 | 429 client error | too many requests | "
     "toomanyrequests | error 429 | http 429 | status code: 429 | status code 429 | status 429 | "
     "requestlimitexceeded | provisionedthroughputexceeded | bandwidthlimitexceeded | "
     "we encountered an internal error | encountered an internal error | internalerrorexception | "
     "an internal error occurred | (internalerror) | 'internalerror' | code: internalerror | "
     "some(\"internalerror | aws internalerror | internal error * try again | (500) when calling | "
     "500 server error * s3 | 500 server error * amazonaws | 500 server error * huggingface | "
     "hfhubhttperror: 5 | "
     "internalfailure | platform error | requesttimeout | temporarily unavailable | "
     "520 server error | 524 server error | pull rate limit | reduce your rate | "
     "rate limit reached | rate-limited | rate limiting | quota exceeded for * per minute | "
     "too many concurrent | concurrency limit | server overloaded | upstream connect error | "
     "upstream * timed out | upstream error | service temporarily | server is busy | server busy | "
     "internal service error | internal service exception | service exception | "
     "service internal error | dependency failure | service failure | serviceexception | "
     "internalserverexception | internalserviceerror | internal server exception | bad_gateway | "
     "service_unavailable | gateway_timeout | aws service * error | platform issue | "
     "platform failure | internal platform | (internalservererror) when calling | 503 response | "
     "502 response | 504 response | 429 response | internal error occurred for the | "
     "internal error * retry",
     "a service failed or throttled",
     "resource temporarily unavailable | agent | localhost | 127.0.0.1 | interpreter | "
     "insufficient | enough | busy or unavailable"},
    {Rank::kCause, "service", kYes,
     "too many 429 error | too many 502 error | too many 503 error | too many 504 error | "
     "amazonaws * too many 500 error | huggingface * too many 500 error",
     "a service answered so until the client gave up"},
    {Rank::kCause, "service", kOnce,
     "too many 500 error | too many error responses | too many 4* error responses",
     "an application answered with errors until the client gave up"},
    {Rank::kCause, "service", kOnce,
     "api request to * failed | error code 404 | error code 500 | error code: 404 | "
     "error code: 500 | returned 404 | returned 500 | 404 client | returned error 404 | "
     "returned error 500 | 500 (internal | 500 internal server error | 500 server error | "
     "internal server error | 404 client error | 404 not found | 404 (not found | http 500 | "
     "error 500 | status code: 500 | status code 500 | status: 500 | 500 error | "
     "status code: 404 | status code 404 | internal_error | unexpected error * 500 | code':500 | "
     "500 response",
     "an application's own API failed",
     "algorithm error: internal | max retries"},

    // ---- the network, in words that name it
    {Rank::kCause, "config", kNo,
     "ensure that the subnet's route table | route to an s3 vpc endpoint | "
     "no usable listening interface | no interface found in | couldn't find any optimal provider | "
     "no eligible providers | couldn't open av | no nic info | "
     "creating new endpoint * invalid argument | efa * invalid argument | orted: no such file | "
     "orted: command not found | orterun: command not found | "
     "not enough slots available | no network interface | no socket interface found | "
     "bootstrap : no socket interface | nccl_socket_ifname | no such interface | "
     "mpirun: command not found | host key verification failed | permission denied (publickey | "
     "permanentredirect | the bucket is in this region | authorizationheadermalformed | "
     "security group * not | subnet * does not exist | invalidsubnet | "
     "security group * does not exist | invalidsecuritygroup | no efa device | "
     "efa * not supported | provider * efa * not found | security groups * allow | "
     "insufficient free ip | not enough free ip | fsx * security group | "
     "dns name of the file system | detected an attempt to run as root | already filled | "
     "invalid account | invalid partition | invalid qos | node count specification invalid | "
     "requested nodes | node configuration is not available | unable to find a matching | "
     "no route table | nat gateway | vpc endpoint | internet gateway | enablenetworkisolation | "
     "network isolation | network acl | no endpoint | invalid endpoint | illegal location | "
     "illegallocationconstraint | bucket name * invalid | invalidbucketname | "
     "specified bucket is not valid | wrong region | incorrect region | must specify a region | "
     "different region | in the same region | same region as | endpoint * region | "
     "not supported in the region | not supported in this region | not supported in region | "
     "not available in the region | not available in region | unsupported region | "
     "region is not supported | in the region * not supported | invalid nccl_comm_id | "
     "please use format: | invalid nccl_ | nccl_comm_id | failed to map | no mapper | "
     "mapper was available | could not be bound | couldn't open cq | extended cq | "
     "couldn't open ep | couldn't open domain | rc: -22",
     "the network or the launcher is set up wrong",
     "timed out"},
    {Rank::kCause, "network", kYes,
     "got completion * status=12 | got completion * error 12 | network is breakdown | "
     "node network | network check * fail | nfs: server * not responding | "
     "transport retry counter exceeded | ibv_wc_retry_exc_err | "
     "net/ofi * completed with error. rc: 12 | net/ofi * err 12 | unresponsive remote | "
     "unresponsive receiver | unreachable remote | remote is unreachable | efa * err: 12 | "
     "cq reported error | lost communication with * daemon | "
     "lost communication with a remote daemon | lost connection to * daemon | daemon * died | "
     "lost contact with | has lost connectivity | transport retry count exceeded | "
     "retry counter exceeded | retry count exceeded",
     "a link between machines, or a machine's daemon, was lost"},
    {Rank::kCause, "network", kYes,
     "getaddrinfo fail | getaddrinfo * error | name or service not known | "
     "temporary failure in name resolution | name resolution | could not resolve host | "
     "couldn't resolve host | nodename nor servname | gaierror | unknownhostexception | "
     "unknown host | dns resolution | no such host | dns error | failed to resolve ' | "
     "failed to resolve host | nameresolutionerror | no address associated | dns server | "
     "connectionclosederror | connection was closed before we received | "
     "amazonaws.com * connection reset | amazonaws.com * connection aborted | "
     "amazonaws.com * connection broken | responsestreamingerror | incompleteread | "
     "connection broken: | incomplete read | amazonaws.com * read timed out | partial layer | "
     "short read | transport endpoint shutdown | error processing tar file | "
     "layer verification failed | failed to extract layer | unexpected eof * layer | "
     "download failed * eof | https:// * : eof | response from daemon: get * eof | "
     "mount point * lost | lustre * connection * lost | lustreerror | "
     "transport endpoint is not connected | stale file handle | stale nfs | errno 116] | "
     "errno 107] | fuse * disconnected | mount * disconnected | connection to * s3 * lost | "
     "protocolerror | ssl * eof occurred | unexpected eof while reading | "
     "remote end closed connection | download failed * connection reset",
     "names could not be resolved, or storage hung up"},
    {Rank::kCause, "network", kOnce,
     "connecttimeout | connect timeout | the read operation timed out | "
     "the write operation timed out | the handshake operation timed out | socket.timeout | "
     "cannotpullcontainererror * timeout | cannotpullcontainererror * canceled | "
     "cannotpullcontainererror * deadline | connection timed out * http | connecttimeouterror | "
     "readtimeouterror | read timed out | readtimeout | max retries exceeded | "
     "newconnectionerror | httpsconnectionpool | httpconnectionpool | newconnection | "
     "curl returned error | curl error | curlcode | curl: ( | tls handshake timeout | "
     "request canceled while waiting for connection | i/o timeout | urlopen error | urlerror | "
     "network is unreachable | no route to host | run initialization has timed out | "
     "wandb * timed out | commerror: * timed out | error communicating with wandb | "
     "wandb: network error | dial tcp | network error | errno 113] | errno 101] | "
     "client.timeout exceeded | clientconnectorerror | serverdisconnected | remotedisconnected | "
     "proxyerror | sslerror | ssl: certificate | api connection error | apiconnectionerror | "
     "failed to establish a new connection | check your internet connection | "
     "checkout your internet connection | check your connection | internet connection is on | "
     "couldn't connect to | couldn‘t connect to | couldn’t connect to | "
     "could not connect to the endpoint url | endpointconnectionerror",
     "a remote service could not be reached",
     "remote process"},
    {Rank::kCause, "config", kOnce,
     "timed out waiting for the condition | mount.nfs * timed out | mount * timed out | "
     "attach * timed out | unable to attach or mount | mountvolume * failed | failedmount | "
     "failedattachvolume | unable to mount | mount attempt * timed out | mounting * timed out | "
     "failed to mount | mount failed",
     "a file system did not mount in time"},
});
// clang-format on

}  // namespace

std::span<const Signature> signatures_of_access() { return kTable; }

}  // namespace trainwarden::rules
