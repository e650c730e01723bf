#include "handlers/rules/failure_signatures.h"

#include <array>

namespace trainwarden::rules {
namespace {

constexpr std::string_view kYes = "yes";
constexpr std::string_view kOnce = "once";
constexpr std::string_view kNo = "no";

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
    // ---- machines
    {Rank::kMachine, "hardware", kOnce,
     "is/are busy or unavailable | all cuda-capable devices are busy | "
     "failed to process command * opcode | efa_com_* failed | cudaerrordevicesunavailable",
     "the device did not answer now, and may on another try"},
    {Rank::kMachine, "hardware", kYes,
     "hardware error | hw error | critical hardware | hardware failure | hardware fault | "
     "hardware issue | faulty gpu | bad gpu | defective gpu | defective node | defective hardware | "
     "failing execution | engines are running | hal init failed | timestamp program stop timeout | "
     "failed to stop neuron core | failed to initialize devices, error:5 | dma abort | "
     "nvlink is down | nvlink * is down | nvlink down | nvlink: * inactive | nvlink training fail | "
     "nvlink training error | uncorrectable ecc | ecc error | uncorrected ecc | double bit ecc | "
     "cudaerroreccuncorrectable | double-bit ecc | uncorrectable memory error | "
     "uncorrectable error | row remapping fail | row remap fail | remapped rows pending | "
     "page retirement | uncorrectable nvlink | nvlink error | nvlink fatal | sram ecc | hbm_ue | "
     "nc_ue | nrt_hw_error | nrt_exec_hw_err | nrt_exec_unit_unrecoverable",
     "memory or links of an accelerator are faulty",
     "corrected error | uncorrectable error count: 0"},
    {Rank::kMachine, "hardware", kYes,
     "ecc_uncorrectable | nvlinkuncorrectable | failed to initialize nvml: unknown | edac * ue | "
     "edac * uncorrect | uncorrected error | fallen off the bus | gpu is lost | device is lost | "
     "cudaerrorunknown | cuda error: unknown error | cuda failure 999 | "
     "cuda failure * unknown error | cuda driver error: unknown error | cuda runtime error (30) | "
     "cuda_error_unknown | gpu requires reset | gpu recovery action | gpu has been reset | "
     "unable to determine the device handle | rminitadapter failed | gpu stopped processing | "
     "nvml_error_gpu_is_lost | unknown error (nvml",
     "the host lost its GPU"},
    {Rank::kMachine, "hardware", kYes,
     "sxid (pci | nvswitch * fatal | fabric manager * not | fabricmanager * fail | "
     "fabric manager fail | error 802 | system not yet initialized | cudaerrorsystemnotready | "
     "cuda_error_system_not_ready",
     "the NVSwitch fabric of the host is broken or not up"},
    {Rank::kMachine, "hardware", kYes,
     "insufficient power | mlx5_cmd_out_err | cable error | bad/unsupported eeprom | nic failure | "
     "nic down | link down | link is down | link flap | cable unplugged | nic link is down | "
     "link is not ready | health compromised | device's health | mlx5_core * fatal | "
     "mlx5 * internal error | assert_exit_ptr | port module event * error | aer: * fatal | "
     "pcie bus error: severity=uncorrected | machine check exception | machine check event | "
     "machine check error | mce: [hardware | hardware error * cpu | "
     "bus error: severity=uncorrected",
     "the network card, the bus or the processor failed", "corrected error"},
    {Rank::kMachine, "hardware", kYes,
     "disabling device after reset | i/o tag * timeout | reset controller | nvme * timeout | "
     "disk failure on | md/raid * failed | xfs * corruption | failed to read superblock | "
     "sense key : | hard lockup | soft lockup | blocked for more than | kernel panic | "
     "kernel bug at | call trace: hung | remounting filesystem read-only | remounted read-only | "
     "remount-ro | i/o error, dev | blk_update_request: | buffer i/o error | "
     "nvme * controller is down | nvme * i/o timeout | medium error | xfs * metadata i/o error | "
     "ext4-fs error | shut down filesystem | device lost",
     "a disk device failed"},
    {Rank::kMachine, "hardware", kYes,
     "thermal violation | thermal slowdown | hw slowdown | overheat | power brake | "
     "thermal shutdown | temperature above threshold | power supply fail",
     "heat or power"},
    {Rank::kMachine, "hardware", kYes,
     "is a straggler | was unhealthy | instance * unhealthy | unhealthy instance | unhealthy node | "
     "node is unhealthy | node * not healthy | faulty node | fault node | failed health check | "
     "failed its health check | health check failed * gpu | deep health check | node failure | "
     "node_fail | node * is down | nodenotready | node is not ready | node not ready | "
     "node became unready | dcgm * fail | system status check",
     "the host is unhealthy or slow", "fault nodes are: [] and stragglers are: []"},

    // ---- instances that cannot be had
    {Rank::kCause, "capacity", kOnce,
     "due to your request configuration",
     "what was asked for cannot be had as asked, by patience alone"},
    {Rank::kCause, "config", kNo,
     "not supported in your requested availability zone | "
     "not supported in the requested availability zone | instance type is not supported | "
     "unsupported instance type | not offered in | specified instance type is not | "
     "is not supported in region | is not available in this region",
     "the type does not exist there"},
    {Rank::kCause, "quota", kNo,
     "resourcelimitexceeded | service limit | account-level | max spot instance count | "
     "quota_exceeded | exceeding approved | quotaexceeded | qosmax | quota * exceeded * limit | "
     "maxspotinstancecountexceeded | vcpulimitexceeded | vcpu limit | instancelimitexceeded | "
     "limitexceededexception | quota exceeded for | exceeded your quota | exceed * account limit | "
     "exceeded quota | insufficient quota | insufficient_quota | spot vcpu | "
     "request * limit increase | exceeds * quota",
     "the account may not have that many", "disk quota"},
    {Rank::kCause, "capacity", kYes,
     "capacityerror | insufficientinstancecapacity | insufficient instance capacity | "
     "insufficient capacity | insufficientcapacity | insufficient notebook instance | "
     "insufficienthostcapacity | unfulfillablecapacity | unable to provision requested | "
     "sufficient * capacity | no spot capacity | no capacity | capacity-not-available | "
     "not enough capacity | no available capacity | not have enough resources | "
     "resource_pool_exhausted | capacity is not available | capacity * currently * not available | "
     "capacity is currently | out of capacity | lack of capacity | spot capacity * not available | "
     "capacity-oversubscribed | price-too-low | skunotavailable | allocationfailed | "
     "allocation failed * capacity | overconstrainedallocation | stockout | "
     "insufficient nvidia.com/gpu | insufficient * efa | requested ml compute capacity | "
     "reservationcapacityexceeded | unable to fulfill * capacity | unable to fulfill * request | "
     "failed to launch * capacity",
     "no instance of the type was free"},

    // ---- somebody took or ended the job
    {Rank::kCause, "interrupted", kNo,
     "stopped by user | stopped by the user | user requested | terminated by user | by uid | "
     "keyboard interrupt | cancelled by | canceled by | user-requested | user initiated | "
     "stoptrainingjob | manually stopped | manually terminated | stopped manually | "
     "cancelled at * by user | job was stopped by | job was cancelled | aborted by user | "
     "killed by user | interrupted by user | stop requested | user-initiated | terminated-by-user | "
     "requested to terminate",
     "it was stopped on request"},
    {Rank::kCause, "interrupted", kYes,
     "instance-action | termination is imminent | imminent termination | job preempted | "
     "due to preemption | spot training instances were interrupted | spot interruption | "
     "spot instance interruption | spot instance * reclaimed | spot instance * terminated | "
     "spot * was interrupted | spot reclaim | was preempted | been preempted | preempting | "
     "preempted | bidevicted | instance was terminated | instance terminated | "
     "host ec2 * terminated | host terminated | server.spotinstance | node shutdown | "
     "node was terminated | instance-terminated | instance-stopped | instance termination | "
     "being reclaimed | marked for termination | machine was terminated | evicted by | "
     "node is shutting down | taintmanagereviction | taint manager | disruptiontarget",
     "the machine was taken away"},

    // ---- memory of the accelerator
    {Rank::kCause, "oom_gpu", kNo,
     "cuda out of memory | cuda error: out of memory | cuda * out of memory | "
     "cuda_error_out_of_memory | hip out of memory | xpu out of memory | "
     "mps backend out of memory | npu out of memory | out of memory * gpu | "
     "cudaerrormemoryallocation | cuda runtime error (2) | cudamalloc * out of memory | "
     "cudamalloc failed: out of memory | cublas_status_alloc_failed | "
     "cublas_status_not_initialized | cublas handle failed | cudnn_status_alloc_failed | "
     "cusolver_status_alloc_failed | cufft_alloc_failed | cusparse_status_alloc | rmm * bad_alloc | "
     "out_of_memory: cuda | cuda outofmemory | rmm * out_of_memory | torch.outofmemoryerror | "
     "torch.cuda.outofmemory | failed to allocate * from device | "
     "failed to allocate device memory | ran out of gpu memory | out of gpu memory | "
     "insufficient gpu memory | gpu memory * exhausted | not enough gpu memory | "
     "out of device memory | out of memory on device | cuda memory allocation | "
     "memory allocation failed * cuda | memoryerror * cuda",
     "the device memory is too small for the model or the batch",
     "defaultcpuallocator | cpu oom"},
    {Rank::kCause, "oom_gpu", kNo,
     "resource_exhausted: out of memory | resource_exhausted: failed to allocate | "
     "resource_exhausted: * hbm | resource exhausted: out of memory | oom when allocating | "
     "resourceexhaustederror | ran out of memory trying to allocate | "
     "out of memory while trying to allocate | out of memory allocating | "
     "resource_exhausted: * allocat | xlaruntimeerror: resource_exhausted | "
     "resource_exhausted: attempting | resource exhausted: attempting | xla * out of memory | "
     "ran out of memory in memory space hbm | exceeded hbm capacity | "
     "attempting to allocate * hbm | used * of * hbm | gpu_0_bfc | allocator (gpu",
     "TensorFlow or XLA had no device memory left",
     "device:cpu | by allocator cpu | allocator (cpu | grpc: received message | no space left"},
    {Rank::kCause, "oom_gpu", kNo,
     "device mempool | tmpbuf | nrt_tensor_allocate * fail | neuron * out of memory | dmem_alloc | "
     "failed to allocate * dram | failed to allocate * nd | nrt_resource | neuron device memory | "
     "hbm allocation | allocation failure * neuron | insufficient device memory | "
     "tensor allocation * failed",
     "Neuron device memory"},
    {Rank::kCause, "oom_gpu", kOnce,
     "cudnn_status_not_initialized | cudnn_status_internal_error | could not create cudnn handle",
     "cuDNN did not start: often a device whose memory somebody holds"},

    // ---- memory of the host
    {Rank::kCause, "disk", kOnce,
     "/var/lib/docker * quota exceeded | pivot dir * quota | other users",
     "a shared node's own disk is full"},
    {Rank::kCause, "disk", kNo,
     "no space available | inodes | insufficient disk space | not enough disk space | "
     "low disk space | more disk space | os error 28 | os error 122 | no space left on device | "
     "errno 28] | errno=28 | enospc | errno: 28 | disk quota exceeded | errno 122] | edquot | "
     "disk is full | disk full | out of disk | not enough disk | insufficient disk | "
     "insufficient free space | not enough space | not enough free space | no free space | "
     "no more free space | ran out of disk | ran out of space | out of storage | "
     "insufficient storage | insufficient space | volume is full | filesystem is full | "
     "file system is full | ephemeral-storage | ephemeral storage | disk pressure | diskpressure | "
     "quota exceeded on | increase the volume | larger volume | volume size * too small | "
     "no disk space | exceeds the available space | 磁盘空间不足 | 磁盘已满",
     "the volume, its quota or its inodes are used up"},
    {Rank::kCause, "disk", kNo,
     "pytorchstreamwriter failed | file write failed | unexpected pos | "
     "failed to write * checkpoint | write * failed * checkpoint | short write | "
     "requested and * written | can't write data | unable to write * file | "
     "h5py * unable to * write | unable to synchronously create | iostream error | "
     "basic_ios::clear | failed to save checkpoint",
     "a checkpoint could not be written", "</torch"},
    {Rank::kCause, "disk", kOnce,
     "os error 22 | os error 5) | (eio) | errno: 5 | errno 5] input/output error | "
     "input/output error | oserror: [errno 22] * save | errno 22] invalid argument * .pt | "
     "errno 22] invalid argument * ckpt",
     "writing failed for a reason that may pass", "nccl | prov_errno | efa"},
    {Rank::kCause, "oom_host", kOnce,
     "is killed by signal: 9 | dataloader worker * killed by signal: killed | "
     "dataloader worker * killed by signal: bus error | "
     "unexpected bus error encountered in worker | "
     "dataloader worker * exited unexpectedly with exit code -9 | unable to write to file </torch | "
     "dataloader worker * out of shared memory | insufficient shared memory | "
     "worker * killed by signal: 9",
     "a data loader was killed: host or shared memory, without figures"},
    {Rank::kCause, "oom_host", kNo,
     "by allocator cpu | allocator (cpu | job memory limit | step memory limit | "
     "memory limit exceeded | exceeded memory limit | memory limit ( | oom-kill | oom_kill | "
     "oom killed | oomkilled | oom killer | oom-killer | oom_reaper | cgroup out of memory | "
     "out of memory: kill | out of memory (oom) | out of memory: tasks | : out of memory | "
     "std::bad_alloc | bad_alloc | bad allocation | memoryerror | cannot allocate memory | "
     "can't allocate memory | unable to allocate | not enough memory | low on memory | "
     "low on resource: memory | memory pressure | memorypressure | java heap space | "
     "outofmemoryerror: java | gc overhead limit | outofmemoryerror: container | "
     "due to memory usage | ran out of memory | run out of memory | "
     "use an instance type with more memory | instance with more memory | larger instance | "
     "more memory, or reduce | insufficient memory | insufficient host memory | cpu oom | "
     "cpu out of memory | out of host memory | out of system memory | nrt_fail_host_mem | "
     "running low on memory | exceeds available memory | memory usage exceeded | exceeded memory | "
     "exceeding physical memory | beyond physical memory | exceeded physical memory | errno 12] | "
     "enomem | virtual memory exhausted | mmap failed * memory | memory exhausted | "
     "heap out of memory | allocation failed - | memory leak * killed | ray.exceptions.outofmemory",
     "host memory ran out, and somebody says so",
     "cuda | gpu | hbm | device:gpu | allocate resources"},

    // ---- permissions
    {Rank::kCause, "permission", kOnce,
     "expiredtoken | token included in the request is expired | token has expired | "
     "credentials have expired | token expired | credentials expired | "
     "refreshed credentials are still expired | security token * expired | requesttimetooskewed | "
     "sso session | credential refresh | error when retrieving credentials",
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
     "path does not exist: s3 | emptydataerror | file is empty",
     "the input is not there"},
    {Rank::kCause, "config", kNo,
     "manifest unknown | manifest for * not found | manifest not found | "
     "cannot find the requested image | requested image * not found | image * not found | "
     "imagenotfound | invalidimagename | repositorynotfoundexception | "
     "repository * does not exist in the registry | repository does not exist | "
     "failed to resolve reference | no match for platform | no matching manifest | "
     "exec format error | unsupported manifest | cannotstartcontainer | oci runtime create failed | "
     "executable file not found | container entrypoint | invalid reference format | no such image | "
     "does not have an entrypoint | unknown runtime",
     "the image does not exist or does not fit the machine",
     "denied | permissions are incorrect | unauthorized"},
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
     "partialcredentials | no basic auth credentials | pull access denied | kmsaccessdenied | "
     "kms key * disabled | kms.disabled | kms.notfound | kms.invalid | kms.access | passrole | "
     "pass role | cross-account | ciphertext refers to a customer master key | kms master key | "
     "customer master key | kms:decrypt | kmsinvalidstate | kms * denied | invalid credentials | "
     "invalid username or password | invalid token | authenticationerror | status: 401 | "
     "code: 401 | http 401 | error 401 | http 403 | error 403 | status code 403 | status code 401 | "
     "status code: 403 | status code: 401 | operation not permitted | must have access | "
     "requested access to the resource is denied | explicit deny | no identity-based policy",
     "somebody may not do that", "publickey"},
    {Rank::kCause, "data", kNo,
     "unexpected end of file | eoferror | input data * invalid | invalid recordio | libsvm format | "
     "invalid lst | lst file | label packed | clashes with it | fail to read any data | "
     "could not convert string to float | error no file named | no valid checkpoint found | "
     "label size mismatched | first column is label | crc32 mismatch | registered for contenttype | "
     "no file found in | read records in the json file | dataset_loader | truncated | "
     "libpng error | libjpeg error | decoding failed | invalid data found when processing input | "
     "tarfile.readerror | can't read data | unable to open object | unable to parse | "
     "failed to parse | could not parse | cannot parse | error tokenizing data | parsererror | "
     "file is truncated | image file is truncated | truncated file | truncated image | "
     "truncated record | broken data stream | cannot identify image | unidentifiedimage | corrupt | "
     "datalosserror | data loss | data_loss | premature end of | not a zip file | badzipfile | "
     "not a gzipped file | unexpected end of data | compressed file ended | crc check failed | "
     "invalid load key | pickle data was truncated | ran out of input | unpicklingerror | "
     "pytorchstreamreader failed | storage has wrong size | central directory | "
     "invalid header or archive | safetensorerror | headertoolarge | invalidheaderdeserialization | "
     "incompletemetadata | metadataincomplete | truncated or * corrupted | not a sstable | "
     "unable to open * signature not found | file signature | unable to open file | bad magic | "
     "jsondecodeerror | unicodedecodeerror | codec can't decode | invalid utf-8 | arrowinvalid | "
     "parquet magic | not a parquet file | magic bytes | svmlight | content-type * unsupported | "
     "unsupported content | blankspace and colon not found | csv file | malformed | "
     "bad input data | wrong number of columns | number of columns | non-numeric | "
     "input contains nan | contains nan, infinity | contains infinity | label must be | "
     "labels must be | missing label | unsupported format | invalid image | cannot load image | "
     "could not load image | decode jpeg | jpeg * corrupt | moov atom not found | "
     "no such channel * data | dataset * not found | datasetnotfound | schema mismatch",
     "the input or the checkpoint is missing pieces, malformed or corrupt",
     "authorizationheader | label must be in [0 | truncation | truncated to | longer than the | "
     "max_length | connection | socket | corrupted/incomplete data | free(): | malloc | "
     "double free"},

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
     "error 503 | http 503 | response code: 503 | status code: 503 | status code 503 | status 503 | "
     "code: 503 | (503): | 503 slow | 502 bad gateway | bad gateway | 502 server error | "
     "error 502 | http 502 | status code: 502 | status code 502 | 504 gateway | gateway time-out | "
     "gateway timeout | 504 server error | error 504 | http 504 | status code: 504 | "
     "status code 504 | 429 client error | too many requests | toomanyrequests | error 429 | "
     "http 429 | status code: 429 | status code 429 | status 429 | requestlimitexceeded | "
     "provisionedthroughputexceeded | bandwidthlimitexceeded | we encountered an internal error | "
     "encountered an internal error | internalerrorexception | an internal error occurred | "
     "(internalerror) | 'internalerror' | code: internalerror | some(\"internalerror | "
     "aws internalerror | internal error * try again | (500) when calling | 500 server error * s3 | "
     "500 server error * amazonaws | 500 server error * huggingface | internalfailure | "
     "platform error | requesttimeout | temporarily unavailable | 520 server error | "
     "524 server error | pull rate limit",
     "a service failed or throttled",
     "resource temporarily unavailable | agent | localhost | 127.0.0.1"},
    {Rank::kCause, "service", kOnce,
     "api request to * failed | error code 404 | error code 500 | error code: 404 | "
     "error code: 500 | returned 404 | returned 500 | 404 client | returned error 404 | "
     "returned error 500 | 500 (internal | 500 internal server error | 500 server error | "
     "internal server error | 404 client error | 404 not found | 404 (not found | http 500 | "
     "error 500 | status code: 500 | status code 500 | status: 500 | 500 error | status code: 404 | "
     "status code 404",
     "an application's own API failed", "algorithm error: internal"},

    // ---- the network, in words that name it
    {Rank::kCause, "config", kNo,
     "ensure that the subnet's route table | route to an s3 vpc endpoint | "
     "no usable listening interface | no interface found in | couldn't find any optimal provider | "
     "no eligible providers | couldn't open av | no nic info | "
     "creating new endpoint * invalid argument | efa * invalid argument | orted: no such file | "
     "orted: command not found | orterun: command not found | not finding the required libraries | "
     "not enough slots available | no network interface | no socket interface found | "
     "bootstrap : no socket interface | nccl_socket_ifname | no such interface | "
     "mpirun: command not found | host key verification failed | permission denied (publickey | "
     "permanentredirect | the bucket is in this region | authorizationheadermalformed | "
     "security group * not | subnet * does not exist | invalidsubnet | "
     "security group * does not exist | invalidsecuritygroup | no efa device | "
     "efa * not supported | provider * efa * not found | security groups * allow | "
     "insufficient free ip | not enough free ip | fsx * security group | "
     "dns name of the file system",
     "the network or the launcher is set up wrong"},
    {Rank::kCause, "network", kYes,
     "got completion * status=12 | got completion * error 12 | network is breakdown | "
     "node network | network check * fail | nfs: server * not responding | "
     "transport retry counter exceeded | ibv_wc_retry_exc_err | "
     "net/ofi * completed with error. rc: 12 | net/ofi * err 12 | unresponsive remote | "
     "unresponsive receiver | unreachable remote | remote is unreachable | efa * err: 12 | "
     "cq reported error | lost communication with * daemon | "
     "lost communication with a remote daemon | lost connection to * daemon | daemon * died | "
     "lost contact with | has lost connectivity",
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
     "download failed * eof | response from daemon: get * eof | mount point * lost | "
     "lustre * connection * lost | lustreerror | transport endpoint is not connected | "
     "stale file handle | stale nfs | errno 116] | errno 107] | fuse * disconnected | "
     "mount * disconnected | connection to * s3 * lost | protocolerror | ssl * eof occurred | "
     "unexpected eof while reading | remote end closed connection | "
     "download failed * connection reset",
     "names could not be resolved, or storage hung up"},
    {Rank::kCause, "network", kOnce,
     "connecttimeout | connect timeout | the read operation timed out | "
     "the write operation timed out | the handshake operation timed out | socket.timeout | "
     "cannotpullcontainererror * timeout | cannotpullcontainererror * canceled | "
     "cannotpullcontainererror * deadline | connection timed out * http | connecttimeouterror | "
     "readtimeouterror | read timed out | readtimeout | max retries exceeded | newconnectionerror | "
     "httpsconnectionpool | httpconnectionpool | newconnection | curl returned error | curl error | "
     "curlcode | curl: ( | tls handshake timeout | request canceled while waiting for connection | "
     "i/o timeout | urlopen error | urlerror | network is unreachable | no route to host | "
     "run initialization has timed out | wandb * timed out | commerror: * timed out | "
     "error communicating with wandb | wandb: network error | dial tcp | network error | "
     "errno 113] | errno 101] | client.timeout exceeded | clientconnectorerror | "
     "serverdisconnected | remotedisconnected | proxyerror | sslerror | ssl: certificate | "
     "api connection error | apiconnectionerror | failed to establish a new connection | "
     "check your internet connection | checkout your internet connection | check your connection | "
     "internet connection is on | couldn't connect to | couldn‘t connect to | couldn’t connect to | "
     "could not connect to the endpoint url | endpointconnectionerror",
     "a remote service could not be reached"},
    {Rank::kCause, "config", kOnce,
     "timed out waiting for the condition | mount.nfs * timed out | mount * timed out | "
     "attach * timed out | unable to attach or mount | mountvolume * failed | failedmount | "
     "failedattachvolume | unable to mount | mount attempt * timed out | mounting * timed out | "
     "failed to mount | mount failed",
     "a file system did not mount in time"},

    // ---- settings
    {Rank::kCause, "config", kNo,
     "not a valid model identifier | hyperparameter * invalid | invalid hyperparameter | "
     "hyperparameter * not | hyperparameter * required | hyperparameters * not valid | "
     "hyperparameters are not | hyperparameter * must | error * hyperparameter | "
     "validating hyperparameter | keyerror: 'sm_ | no value(s) were specified | "
     "required hyperparameter | unrecognized argument | invalid choice: | "
     "the following arguments are required | error: argument | "
     "additional properties are not allowed | validationexception | validation error detected | "
     "failed to satisfy constraint | failed to validate | invalid parameter | "
     "for parameter * exceed | for parameter * should be | classes should be specified | "
     "config_auto.cpp | channel * is not specified | channel is not specified | required channel | "
     "missing channel | unknown channel | train channel | missing required | "
     "invalidparametervalue | invalid value for | unknown option | no such option | "
     "invalid configuration | configuration error | misconfiguration",
     "the job definition has a wrong or missing value", "optional"},
    {Rank::kCause, "config", kNo,
     "api key | api_key not | api_key is | no api_key | api-key not | wandb login | "
     "usageerror: api | log in to | please login",
     "a key of a tracking service is missing", "is configured | logged in as"},
    {Rank::kCause, "config", kNo,
     "error(s) in loading state_dict | missing key(s) in state_dict | "
     "unexpected key(s) in state_dict | size mismatch for | checkpointvalue | checkpoint value | "
     "checkpoint * does not match | checkpoint * mismatch | mismatch * checkpoint | "
     "doesn't match * checkpoint | not found in checkpoint | parameter group that doesn't match | "
     "loaded state dict | incompatible * checkpoint | tensor * shape * checkpoint | "
     "key * not found in checkpoint | assigning * lhs and rhs | "
     "different number of parameter groups | dp world size * checkpoint | "
     "the checkpoint * different | from checkpoint * not equal | checkpoint was saved with",
     "the checkpoint belongs to other settings"},
    {Rank::kCause, "config", kNo,
     "glibc_* not found | glibcxx_* not found | no gpu found | no gpus found | no gpus available | "
     "no gpu available | kernel driver does not appear to be running | bf16 is not supported | "
     "bf16 * not supported | sm_* is not compatible | cuda version * mismatch | "
     "cudamismatchexception | nvidia-container-cli: requirement error | unsatisfied condition | "
     "could not select device driver | no nvidia gpu device is present | requires a gpu | "
     "forward compatibility was attempted | cudaerrorsystemdrivermismatch | "
     "invalid device function | named symbol not found | peer access is not supported | "
     "peer mapping resources exhausted | smddpnotsupported | only supported on | "
     "smdistributed * not supported | attempting to deserialize object on | only has: [] | "
     "does not match the number of | driver version is insufficient | "
     "driver on your system is too old | no kernel image is available | found no nvidia driver | "
     "not compatible with the current pytorch | no cuda gpus are available | "
     "no cuda-capable device | invalid device ordinal | driver/library version mismatch | "
     "unsupported gpu architecture | not compiled with cuda | torch not compiled | "
     "cuda is not available | gpu device not found | cudaerrornokernelimage | "
     "cuda_error_no_device | cudaerrorinsufficientdriver | cuda driver version | no accelerator | "
     "ptx was compiled | cuda_visible_devices | unsupported toolchain | bfloat16 is not supported | "
     "support bf16 | requires ampere | only supports ampere",
     "image, driver and machine do not fit together"},
    {Rank::kCause, "config", kNo,
     "world size * not | world size * must | world_size * not | world_size * must | "
     "not equal to * world_size | incompatible model | sprot remap | "
     "failed programming the engine | failed to stage graph | cannot assign a device | "
     "neuron driver version | aws-neuron * package | aws-neuronx * package | could not find vnc | "
     "could not open the nd | neff version mismatch | ofi plugin | efa is not enabled | libnccom | "
     "unsupported neff | neuroncore(s) not available | neuroncores not available | insufficent nc | "
     "insufficient nc | not in registry | /usr/bin/env: | unable to find a protocol that worked | "
     "unable to allocate resources: requested | sbatch: error | nerr_resource_nc | "
     "logical neuron core | nrt_load_not_enough_nc | neff version | nrt_unsupported_neff | "
     "duplicate gpu detected | ncclinvalidusage | invalid usage | not divisible by | divisible by | "
     "check batch related parameters | rank * out of range | environment variable * expected | "
     "too many open files | received 0 items of ancdata | no module named sagemaker | "
     "can't open file | no such file or directory: 'train | deepspeed config | requires python",
     "the launch does not fit the machines"},

    // ---- the program's own failures
    {Rank::kException, "user_code", kOnce,
     "hardware stack error | cudaerrorhardwarestack | illegal memory access | "
     "unspecified launch failure | cuda_error_illegal_address | cudaerrorillegaladdress | "
     "cuda runtime error (77) | cuda runtime error (4) | cuda runtime error (700) | "
     "misaligned address | illegal instruction was | cuda_error_launch_failed | "
     "cudaerrorlaunchfailure | illegal address | cublas_status_execution_failed | "
     "cudnn_status_execution_failed | cudaerrorillegalinstruction | nrt_exec_oob | warp illegal",
     "the program reached past its memory on the device, which may be a rare race"},
    {Rank::kException, "user_code", kNo,
     "out-of-bound access | out of bound access | nrt_exec_bad_input | err: 1006 | "
     "device-side assert | cuda runtime error (59) | assertion `* failed | assertion '* failed | "
     "assertion * failed. | index out of bounds",
     "an assertion of the program failed"},
    {Rank::kException, "user_code", kNo,
     "subtype_numerical | numerical error | nrt_exec_completed_with_num_err | nan loss | "
     "loss is nan | loss became | loss: nan | loss=nan | loss = nan | nan or inf | inf or nan | "
     "nans or infs | non-finite | not finite | is nan, | nan detected | nan encountered | "
     "loss diverged | minimum loss scale | current loss scale already at minimum | "
     "infinite or nan | found nan | contains nan | loss exploded | gradient overflow",
     "the training diverged"},
    {Rank::kException, "user_code", kNo,
     "shapes cannot be multiplied | must match the size of tensor | "
     "expected all tensors to be on the same device | element 0 of tensors does not require grad | "
     "expected more than 1 value per channel | incompatible shapes | size mismatch, | "
     "shape mismatch | expected input | dimension out of range | expected scalar type | "
     "marked as ready twice | expected to have finished reduction | trying to backward through | "
     "modified by an inplace operation | no module named | cannot import name | undefined symbol | "
     "cannot open shared object | is not defined | unexpected keyword argument | has no attribute | "
     "list index out of range | missing 1 required positional | object is not | not subscriptable | "
     "not callable | cannot re-initialize cuda in forked | syntaxerror | indentationerror | "
     "can't pickle | cannot pickle | invalid syntax | could not find a version that satisfies | "
     ": not found | not found in $path | no matching distribution found | resolutionimpossible | "
     "distributionnotfound | distribution was not found | failed building wheel | "
     "subprocess-exited-with-error | metadata-generation-failed | pip install * error | "
     "pip subprocess | command not found | error: exception: | undefined reference | "
     "error: command 'gcc | panicked at",
     "an error of the program or its dependencies"},

    {Rank::kException, "data", kNo,
     "no such file or directory | file * does not exist | path * does not exist | "
     "directory * does not exist | dataset * does not exist | checkpoint * does not exist | "
     "file does not exist | can't find * file | could not find * file | cannot find * file",
     "a file is missing", "orted | /usr/bin/env: | .py' | .so | command | .py: "},
    // ---- what is left when something went
    {Rank::kSymptom, "oom_host", kOnce,
     "exits with return code = -9 | exits with return code = 137",
     "DeepSpeed's launcher saw a process killed"},
    {Rank::kSymptom, "oom_host", kOnce,
     "exitcode: -9 | exitcode -9 | exit code -9 | error code -9 | exit code: -9 | exitcode : -9 | "
     "exits with return code = -9 | return code = -9 | return code -9 | code=-9 | signal 9 | "
     "(sigkill) | sigkill. | signals.sigkill | signal sigkill | got sigkill | by sigkill | "
     "received sigkill | exit code 137 | exit code: 137 | exitcode 137 | exitcode: 137 | "
     "exit status 137 | exit-code 137 | status 137 | code 137 | returned 137 | "
     "killed by signal: killed | : line * killed | proc: killed | died with <signals.sigkill | "
     "(killed) | killed python | died with signal 9 | code=137 | sigkill(-9) | terminated abruptly",
     "killed without a word: mostly the host's memory", "sigkill_handler"},
    {Rank::kSymptom, "interrupted", kOnce,
     "exits with return code = -15 | exits with return code = 143 | killed by signal: terminated | "
     "killed by signal: hangup | killed by signal: 15",
     "a worker got SIGTERM"},
    {Rank::kSymptom, "unknown", kOnce,
     "killed by signal: segm | killed by signal: abort | killed by signal: illegal",
     "a worker crashed"},
    {Rank::kSymptom, "oom_host", kOnce,
     "dataloader worker * killed by | dataloader worker * exited unexpectedly",
     "a data loader was killed", "exit code 1."},
    {Rank::kSymptom, "unknown", kOnce,
     "segfault at | segfault in | segmentation fault | sigsegv | signal 11 | exitcode: -11 | "
     "exit code 139 | exit code: 139 | bus error | sigbus | signal 7 | exitcode: -7 | "
     "exit code 135 | exit code: 135 | illegal instruction | sigill | exit code 132 | "
     "floating point exception | sigfpe | unhandled cuda error | ncclunhandledcudaerror | "
     "ncclinternalerror | internal check failed",
     "a crash whose owner is not told"},
    {Rank::kSymptom, "unknown", kOnce,
     "first task exited | exited abnormally",
     "a task of a step failed, and the scheduler ended the others"},
    {Rank::kSymptom, "network", kYes,
     "node has died | node died | node dying | node was marked dead | node was lost | "
     "raylet has died | raylet died",
     "a machine was lost, and nothing says why"},
    {Rank::kSymptom, "interrupted", kNo,
     "keyboardinterrupt",
     "somebody pressed Ctrl-C"},
    {Rank::kSymptom, "interrupted", kOnce,
     "sigterm | sighup | sigint | death signal | got signal: 15 | got signal: 1 | got signal: 2 | "
     "got signal :1 | got signal :15 | signalexception | received sigterm | received signal 15 | "
     "caught sigterm | sigterm received | sighup received | received sighup | caught signal 15 | "
     "caught signal: 15 | signal 15 | exit code 143 | exit code: 143 | exitcode: -15 | "
     "exit code -15 | exitcode: -1 | exitcode 143 | received a sigterm | received sigint | "
     "got sigterm | sigterm handler | sigterm signal received | terminated by signal sigterm | "
     "terminated by signal 15 | sigtermexception | asked to terminate",
     "a signal from outside",
     "sending | closing signal | via signal | terminating process | sent sig | send sig"},
    {Rank::kSymptom, "network", kOnce,
     "got completion | connection refused | connection reset | connection closed | "
     "connection aborted | connection abort | connection timed out | connection lost | "
     "unable to reach each other | communicate with backend | network is unreachable | "
     "broken pipe | errno 104] | errno 111] | errno 110] | errno 32] | econnreset | econnrefused | "
     "etimedout | socket closed | socket error | socket timeout | socket is not connected | "
     "recvvalue failed | sendbytes failed | recv failed | broken connection | not connected to | "
     "connection error | connectionerror | unable to connect | failed to connect | "
     "cannot connect to host | could not connect | can't connect | peer * closed | closed by peer | "
     "remote peer | reset by peer | remote process has * exited | remote process exit | "
     "ncclremoteerror | unhandled system error | ncclsystemerror | call to ibv_ | ibv_modify_qp | "
     "ibv_ * failed | net/ofi * error | net/ofi * failed | net/ib * failed | net/socket * error | "
     "rendezvous * fail | rendezvous * timed out | rendezvous * timeout | "
     "rendezvousconnectionerror | rendezvoustimeouterror | rendezvousclosederror | "
     "rendezvous * closed | rendezvous * error | rdzv * timeout | timeout waiting for rx | "
     "timeout waiting for incoming | timeout waiting for connect | client socket has | "
     "tcp connection | unexpectedly disconnected | peer process * disconnected | disconnected | "
     "efa_rdm * err | efa * cq * err | connection to * failed | couldn't connect | "
     "could not be reached | host unreachable | unreachable | no response from | connect() | "
     "failed to accept | waitforinput | poolfd failed | diststoreerror | distnetworkerror | "
     "store->get | tcpstore | key-value store * error | timed out after * clients joined | "
     "clients joined | failed to bind | address already in use | errno 98] | eaddrinuse | "
     "errno: 98 | nrt_network_proxy | unavailable: | rpc failed | statuscode.unavailable | "
     "deadline exceeded while | unable to reliably start | ssh: connect | ssh exited | "
     "ssh * exit status 255 | prov_errno | efa_rdm | remote i/o error | gloo * timeout | "
     "connectfullmesh | connect to * failed | network connection | network set up issue | epipe | "
     "lost connection | failed to recv | failed to send | bootstrap * fail",
     "a peer did not answer, or hung up", "connection error code"},
    {Rank::kSymptom, "timeout", kOnce,
     "exceeded * runtime | exceeded * time limit | exceeds * runtime | reached * maximum runtime | "
     "maxruntimeexceeded | maxwaittimeexceeded | exceeded the maximum allowed runtime | "
     "maximum allowed runtime | maximum runtime | exceeded * wait time | maximum wait | "
     "due to time limit | walltime | wall time | active longer than specified deadline | "
     "deadlineexceeded | job attempt duration exceeded timeout | exceeded timeout | job timed out | "
     "timed out * job",
     "the job's own clock ran out"},
    {Rank::kSymptom, "timeout", kOnce,
     "collective operation timeout | watchdog caught | watchdog thread terminated | "
     "before timing out | did not receive response | timed out waiting for | monitoredbarrier | "
     "monitored barrier | deadline_exceeded | inference timeout | execution timeout | "
     "exec_timeout | nrt_timeout | launch timed out | cudaerrorlaunchtimeout | stalled ops | "
     "stalled tensors | waiting for remainder of ranks | timed out waiting | wait timeout after | "
     "hccl * timeout | notify wait timeout | nccl timeout | nccl * timed out | "
     "collective * timed out | operation timed out",
     "a collective or a device did not finish"},
    {Rank::kSymptom, "timeout", kOnce,
     "timed out | timeouterror | timeout: | timeout after | timeout expired | timeout exceeded | "
     "timeout reached | timeout error",
     "something did not finish in its time"},
    {Rank::kSymptom, "interrupted", kOnce,
     "cancelled at | job * cancelled | was terminated | been terminated | received shutdown",
     "the scheduler ended it"},

    {Rank::kSymptom, "user_code", kNo, "uncaught exception | unhandled exception | check failed: | check failure stack trace",
     "an exception of which nothing else is known"},

    // ---- consequences and wrappers
    {Rank::kConsequence, "unknown", kOnce,
     "nccl communicator was aborted | communicator is aborted | has been shut down | "
     "childfailederror | closing signal | via signal sig | entire process down | "
     "some nccl operations have failed | non-zero exit status | non-zero exit | "
     "watchdog got stuck | last enqueued nccl work | detected by watchdog | nccl error | "
     "gloo error | process exited with | exited with code | failed to run: [ | "
     "caught runtimeerror in | no training job succeeded | one or more processes | "
     "internal: from /job | no metrics got observed | exited unexpectedly | mpi_abort | "
     "one of the ranks | see root cause above | aborting job | terminated early | task was killed | "
     "worker died | actor died | other workers",
     "what the loss of another process leaves behind"},
    {Rank::kWrapper, "unknown", kOnce,
     "exit code | exitcode | exit status | childfailederror | closing signal | non-zero exit | "
     "nonzero exit | calledprocesserror | executeuserscripterror | algorithmerror | "
     "some nccl operations have failed | horovod has been shut down | mpi_abort | xid (pci | "
     "see job logs | sigabrt | aborted | core dumped | workercrashed | failed | error | "
     "unknown reason | exception | traceback",
     "says only that something failed"},
});
// clang-format on

}  // namespace

std::span<const Signature> failure_signatures() { return kTable; }

}  // namespace trainwarden::rules
