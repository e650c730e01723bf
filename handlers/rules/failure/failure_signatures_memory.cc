// Memory of accelerators and hosts, and disks.
#include <array>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {
namespace {

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
    // ---- memory of the accelerator
    {Rank::kCause, "oom_gpu", kNo,
     "cuda out of memory | cuda error: out of memory | cuda * out of memory | "
     "cuda_error_out_of_memory | hip out of memory | xpu out of memory | "
     "mps backend out of memory | npu out of memory | out of memory * gpu | "
     "cudaerrormemoryallocation | cuda runtime error (2) | cudamalloc * out of memory | "
     "cudamalloc failed: out of memory | cublas_status_alloc_failed | "
     "cublas_status_not_initialized | cublas handle failed | cudnn_status_alloc_failed | "
     "cusolver_status_alloc_failed | cufft_alloc_failed | cusparse_status_alloc | "
     "rmm * bad_alloc | out_of_memory: cuda | cuda outofmemory | rmm * out_of_memory | "
     "torch.outofmemoryerror | torch.cuda.outofmemory | failed to allocate * from device | "
     "failed to allocate device memory | ran out of gpu memory | out of gpu memory | "
     "insufficient gpu memory | gpu memory * exhausted | not enough gpu memory | "
     "out of device memory | out of memory on device | cuda memory allocation | "
     "memory allocation failed * cuda | memoryerror * cuda | cuda-oom | cuda oom | gpu oom | "
     "oom on gpu | gpu memory is not | not enough memory on gpu | cuda_out_of_memory | "
     "cudnn * alloc_failed | dst tensor is not initialized | status: out of memory | "
     "cufft_internal_error | cudamalloc failed | cudamallocasync failed | failed to alloc * gpu | "
     "failed to allocate * gpu memory | gpu ran out of memory | device ran out of memory | "
     "no available memory for the cache blocks | no available memory for cache blocks | "
     "kv cache * larger than | free memory on device | failed to get convolution algorithm | "
     "larger than the maximum allowed * gpu | device oom | hip_error_out_of_memory | "
     "hiperroroutofmemory | ncclcudamalloc | cuda malloc | "
     "tried to allocate * (gpu | tried to allocate * gpu * total capacity | 显存不足 | 显存溢出 | "
     "显存不够 | 爆显存 | 显存爆 | gpu内存不足 | gpu 内存不足",
     "the device memory is too small for the model or the batch",
     "defaultcpuallocator | cpu oom"},
    {Rank::kCause, "disk", kNo,
     "resourceexhaustederror: / | resourceexhaustederror: ./ | "
     "resourceexhaustederror * tempstate | resource exhausted: / | resource_exhausted: / | "
     "exaustated: /",
     "TensorFlow could not write a file"},
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
     "tensor allocation * failed | insufficient * hbm | hbm oom | hbm out of memory | out of hbm | "
     "memory space vmem | insufficient neuron",
     "Neuron device memory"},
    {Rank::kCause, "oom_gpu", kOnce,
     "cudnn_status_not_initialized | cudnn_status_internal_error | could not create cudnn handle",
     "cuDNN did not start: often a device whose memory somebody holds"},

    {Rank::kCause, "oom_gpu", kNo,
     "memory allocation error on worker | caching allocator * memory | "
     "memory * caching allocator | .cu: * memory allocation | cuda * memory allocation | "
     "gpu * memory allocation | device memory allocation",
     "an allocator of device memory had none left"},

    // ---- memory of the host
    {Rank::kMachine, "oom_host", kNo,
     "killed process * total-vm | killed process * anon-rss | out of memory: kill | "
     "or sacrifice child | invoked oom-killer | oom-kill:constraint",
     "the kernel says that it killed a process for memory"},
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
     "no disk space | exceeds the available space | 磁盘空间不足 | 磁盘已满 | "
     "no space left | low on disk | disk space * low | storage * full | out of space | "
     "out of disk space | device is full | running out of disk | exceeds the maximum disk | "
     "disk usage exceeds | ephemeral local storage | exceeds the total limit of containers | "
     "fs quota | errno 27] | file too large | outofdisk | enough free disk | "
     "insufficient local storage | low storage | storage is full | max storage | "
     "creating shared memory segment | posix_fallocate | failed to extend /dev/shm | "
     "disk i/o quota | too many links | no inode",
     "the volume, its quota or its inodes are used up"},
    {Rank::kCause, "disk", kNo,
     "pytorchstreamwriter failed | file write failed | unexpected pos | "
     "failed to write * checkpoint | write * failed * checkpoint | short write | "
     "requested and * written | can't write data | unable to write * file | "
     "h5py * unable to * write | unable to synchronously create | iostream error | "
     "basic_ios::clear | failed to save checkpoint | error writing * checkpoint | "
     "unable to save checkpoint | could not save * checkpoint | error saving * checkpoint | "
     "checkpoint save failed | saving checkpoint failed | writing checkpoint failed | "
     "cannot write * checkpoint | failed writing * checkpoint | failed to write * model | "
     "could not write * checkpoint | failed to write to disk | write error | wrote * instead of | "
     "pytorchfilewriter | fwrite( | fwrite failed | write incomplete | incomplete write | "
     "cannot be opened for writ | could not be opened for writ",
     "a checkpoint could not be written",
     "</torch | broken pipe | connection | memory"},
    {Rank::kCause, "disk", kOnce,
     "os error 22 | os error 5) | (eio) | errno: 5 | errno 5] input/output error | "
     "input/output error | oserror: [errno 22] * save | errno 22] invalid argument * .pt | "
     "errno 22] invalid argument * ckpt",
     "writing failed for a reason that may pass",
     "nccl | prov_errno | efa"},
    {Rank::kCause, "oom_host", kOnce,
     "is killed by signal: 9 | dataloader worker * killed by signal: killed | "
     "dataloader worker * killed by signal: bus error | "
     "unexpected bus error encountered in worker | "
     "dataloader worker * exited unexpectedly with exit code -9 | "
     "unable to write to file </torch | dataloader worker * out of shared memory | "
     "insufficient shared memory | worker * killed by signal: 9",
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
     "heap out of memory | allocation failed - | memory leak * killed | "
     "ray.exceptions.outofmemory | out of memory handler | memory cgroup | "
     "exceeding memory limits | over memory limit | memory limit of | over its memory limit | "
     "over the memory limit | limit of * memory | above memory limit | memory limit * exceeded | "
     "exceeded * memory limit | exceeds * memory limit | insufficient system memory | "
     "system memory | physical memory used | memoryoverhead | memory overhead | exceeded * rss | "
     "rss limit | memory allocation * failed | memory allocation error | memory allocation fail | "
     "error allocating memory | failed memory allocation | alloc_cpu | cannot allocate * memory | "
     "could not allocate * memory | failed to allocate * bytes of memory | "
     "failed to allocate memory | failed to allocate * host | pinned memory | page-locked | "
     "unable to mmap | can't start new thread | cannot start new thread | pthread_create failed | "
     "thread creation failed | unable to create native thread | "
     "unable to create new native thread | object store * full | objectstorefull | "
     "objectstore * full | used up * memory | cpu memory * exceed | ram exceeded | exceeded ram | "
     "out of ram | not enough ram | insufficient ram | host oom | oomkill | oom event | "
     "memory usage is too high | metaspace | term_memlimit | memory usage limit | term_swap | "
     "exceeded limit * mem | mem * exceeded limit | h_vmem | over the memory | memory high water | "
     "max rss exceeded | out of memory *** | state: out_of_memory | exceeded its memory | "
     "memory exceeded | vmem exceeded | vmem * exceed | memory budget | ran out-of-memory | "
     "run out-of-memory | went out-of-memory | killed as a result of limit of | "
     "as a result of limit | due to oom | died of oom | because of oom | "
     "内存不足 | 内存溢出 | 内存耗尽 | 内存不够",
     "host memory ran out, and somebody says so",
     "cuda | gpu memory | on gpu | gpu: | (gpu | gpu 0 | gpu_ | hbm | allocate resources | "
     "nodes are available | extended cq | net/ofi | gpu内存 | gpu 内存 | 显存"},
});
// clang-format on

}  // namespace

std::span<const Signature> signatures_of_memory() { return kTable; }

}  // namespace trainwarden::rules
