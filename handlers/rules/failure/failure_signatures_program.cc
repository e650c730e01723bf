// Settings, and the program's own failures.
#include <array>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {
namespace {

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
    // ---- settings
    {Rank::kCause, "config", kNo,
     "hyperparameter * invalid | invalid hyperparameter | hyperparameter * not | "
     "hyperparameter * required | hyperparameters * not valid | hyperparameters are not | "
     "hyperparameter * must | error * hyperparameter | validating hyperparameter | "
     "keyerror: 'sm_ | no value(s) were specified | required hyperparameter | "
     "unrecognized argument | invalid choice: | the following arguments are required | "
     "error: argument | additional properties are not allowed | validationexception | "
     "validation error detected | failed to satisfy constraint | failed to validate | "
     "invalid parameter | for parameter * exceed | for parameter * should be | "
     "classes should be specified | config_auto.cpp | channel * is not specified | "
     "channel is not specified | required channel | missing channel | unknown channel | "
     "train channel is | train channel not | train channel must | no train channel | "
     "missing required | invalidparametervalue | invalid value for | unknown option | "
     "no such option | invalid configuration | configuration error | misconfiguration | "
     "mount target | cannot both be | mutually exclusive | unsupported value | illegal value | "
     "bad value | unexpected value for | unknown parameter | unrecognized parameter | "
     "unrecognized option | unrecognized configuration | unknown argument | unexpected argument | "
     "invalid argument: - | invalid option | invalid flag | invalid setting | unsupported option | "
     "not a recognized | names must be unique | invalid job | invalid arn | invalid s3 uri | "
     "config error | invalid config | bad config | config * invalid | config * missing | "
     "config * not found | could not override | exceed bound | exceeds the bound | "
     "out of allowed range | outside the allowed | outside of the allowed | "
     "smaller than the minimum | below the minimum | greater than the maximum | "
     "cannot be used with | is deprecated and removed | not enabled in this build | "
     "not compiled with | was not built with | built without | requires version | "
     "version mismatch | versions do not match | please upgrade | is outdated | "
     "environment variable * not set | environment variable * missing | "
     "not set in the environment | undefined variable | unbound variable | "
     "missing * configuration | missing configuration | illegal char | please provide * name | "
     "please provide a valid | please provide an | please set the | please specify the | "
     "please configure | parse hyperparameter | outgoing traffic has been disabled | "
     "version * does not match | version * do not match | versions * mismatch | "
     "must be used with | cannot be used in | not supported in * mode | should be used with | "
     "only works with | only work with | incompatible python | channel configuration | "
     "supported values are | under any of the given schemas | failed validating | is not of type | "
     "is a required property | is less than the minimum of | is greater than the maximum of | "
     "is not one of [ | is available only for | are available only for | only available for | "
     "only available on | only available in | only available when | available only on | "
     "available only in",
     "the job definition has a wrong or missing value",
     "optional | channel * optional | configuration argument | accepting this combination"},
    {Rank::kCause, "config", kNo,
     "api key | api_key not | api_key is | no api_key | api-key not | wandb login | "
     "usageerror: api | log in to | please login",
     "a key of a tracking service is missing",
     "is configured | logged in as"},
    {Rank::kCause, "config", kNo,
     "error(s) in loading state_dict | missing key(s) in state_dict | "
     "unexpected key(s) in state_dict | size mismatch for | size mismatch in torch | "
     "loading state_dict * mismatch | load_state_dict * mismatch | state_dict does not match | "
     "missing key in | missing keys in | unexpected key in | unexpected keys in | "
     "unable to load optimizer | unable to load rng | specify --no-load | checkpointvalue | "
     "checkpoint value | checkpoint * does not match | checkpoint * mismatch | "
     "mismatch * checkpoint | doesn't match * checkpoint | not found in checkpoint | "
     "parameter group that doesn't match | loaded state dict | incompatible * checkpoint | "
     "tensor * shape * checkpoint | key * not found in checkpoint | assigning * lhs and rhs | "
     "different number of parameter groups | dp world size * checkpoint | "
     "the checkpoint * different | from checkpoint * not equal | checkpoint was saved with",
     "the checkpoint belongs to other settings"},
    {Rank::kException, "config", kNo,
     "cannotstartcontainer | cannotcreatecontainer | createcontainerconfigerror | "
     "createcontainererror | runcontainererror | oci runtime create failed | "
     "runc create failed | could not transition to started | container * could not be started | "
     "failed to start container | unable to start container process",
     "the container did not start, and nothing says more",
     "denied | permissions are incorrect | unauthorized | pull access | timeout | "
     "request canceled | no space | .jpg | .jpeg | .png | .tif | .bmp | .npy"},
    {Rank::kException, "config", kNo,
     "unable to create step for job | unable to allocate resources: | unable to create job step | "
     "step requested gres | invalid generic resource | salloc: error | sbatch: error | "
     "batch job submission failed",
     "the scheduler does not take the job as it is defined, and nothing says more",
     "timed out | busy | contact | completing | credential | node fail | zero bytes"},
    {Rank::kException, "config", kNo,
     "failed to pull image | imagepullbackoff | errimagepull | back-off pulling image | "
     "image pull * fail | unsupported hardware operator | please make sure to upgrade | "
     "not a valid model identifier | must be specified | must be provided",
     "the image or the model could not be had, and nothing says more"},
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
     "does not match the number of gpu | does not match the number of devices | "
     "does not match the number of nodes | does not match the number of process | "
     "does not match the number of ranks | does not match the number of workers | "
     "driver version is insufficient | driver on your system is too old | "
     "no kernel image is available | found no nvidia driver | "
     "not compatible with the current pytorch | no cuda gpus are available | "
     "no cuda-capable device | invalid device ordinal | driver/library version mismatch | "
     "unsupported gpu architecture | unsupported cuda | unsupported driver | unsupported nvidia | "
     "not compiled with cuda | torch not compiled | cuda is not available | gpu device not found | "
     "cudaerrornokernelimage | cuda_error_no_device | cudaerrorinsufficientdriver | "
     "cuda driver version | no accelerator | ptx was compiled | unsupported toolchain | "
     "bfloat16 is not supported | support bf16 | requires ampere | only supports ampere | "
     "unsupported display driver | ptx jit compiler | api call is not supported in the installed | "
     "system_driver_mismatch | arch_mismatch | cublas_status_not_supported | cudnn_status_arch | "
     "cudnn library * version | cudnn version | nvidia-smi has failed | "
     "couldn't communicate with the nvidia driver | driver not loaded | unknown device id | "
     "driver * not installed | no nvidia driver | nvidia driver * not | cuda_home | "
     "nvcc: not found | no supported devices found | no visible gpu | no gpu devices | "
     "no gpu device | no neuron device | neuron device * not found | no neuroncore | "
     "no neuroncores | unable to initialize backend | installed cuda version | "
     "cudnn version incompatibility | compiled with cuda * but | gpu architecture | only ampere | "
     "flash attention * gpu | flashattention only supports | your machine only has | "
     "gpu * not supported | no gpu is available | gpu tree learner | cuda_visible_devices * not | "
     "cuda_visible_devices * invalid | built for nvidia driver | "
     "compatibility mode is unavailable | cuda driver unavailable | returned 804 | returned 803 | "
     "requires nvidia driver | driver release | nvidia driver version | minimum driver | "
     "device count | number of available gpus | than available gpus | number of gpus | "
     "number of visible devices | number of available devices | no hip gpus | no xpu | no npu | "
     "hiperrornobinary | unable to find code object | restore data location",
     "image, driver and machine do not fit together",
     "accepting this combination"},
    {Rank::kCause, "config", kNo,
     "world size * not | world size * must | world_size * not | world_size * must | "
     "not equal to * world_size | incompatible model | sprot remap | "
     "failed programming the engine | failed to stage graph | cannot assign a device | "
     "neuron driver version | aws-neuron * package | aws-neuronx * package | could not find vnc | "
     "could not open the nd | neff version mismatch | ofi plugin | efa is not enabled | libnccom | "
     "unsupported neff | neuroncore(s) not available | neuroncores not available | "
     "insufficent nc | insufficient nc | not in registry | /usr/bin/env: | "
     "unable to find a protocol that worked | unable to allocate resources: requested | "
     "sbatch: error | nerr_resource_nc | logical neuron core | nrt_load_not_enough_nc | "
     "neff version | nrt_unsupported_neff | duplicate gpu detected | ncclinvalidusage | "
     "invalid usage | not divisible by | divisible by | check batch related parameters | "
     "rank * out of range | environment variable * expected | too many open files | "
     "received 0 items of ancdata | no module named sagemaker | can't open file | "
     "no such file or directory: 'train | deepspeed config | requires python | "
     "nrt_invalid_handle | nrt_uninitialized | nrt_closed | nrt_init * fail | "
     "failed to initialize the neuron runtime | horovodversionmismatch | unable to compile cuda | "
     "affinity/selector | node affinity | untolerated taint | node selector | no nodes * match | "
     "exceeds * allocatable | must be bigger | bigger or equal | mini_batch_size | "
     "nrt_exec_nc_busy | bash: * is a directory | sh: * is a directory | neuron core is locked | "
     "file-max limit | $'\\r' | $'{\\r | bash\\r' | sh\\r' | python\\r | python3\\r | bash^m | "
     "sh^m | python^m | python3^m",
     "the launch does not fit the machines"},

    // ---- the program's own failures
    {Rank::kException, "user_code", kOnce,
     "hardware stack error | cudaerrorhardwarestack | illegal memory access | "
     "unspecified launch failure | cuda_error_illegal_address | cudaerrorillegaladdress | "
     "cuda runtime error (77) | cuda runtime error (4) | cuda runtime error (700) | "
     "misaligned address | illegal instruction was | cuda_error_launch_failed | "
     "cudaerrorlaunchfailure | illegal address | cublas_status_execution_failed | "
     "cudnn_status_execution_failed | cudaerrorillegalinstruction | warp illegal | nrt_exec_sw | "
     "memory access fault | invalid program counter | invalid address space | "
     "operation not supported on global/shared | lane user stack | illegal instruction detected | "
     "cusolver_status_execution_failed | cufft_exec_failed | cublas_status_mapping_error | "
     "page fault on gpu | gpu page fault | mmu fault | invalid memory access | nrt_exec_oob | "
     "gpsimd exception | exception occurred: illegal",
     "the program reached past its memory on the device, which may be a rare race"},
    {Rank::kException, "user_code", kNo,
     "out-of-bound access | out of bound access | nrt_exec_bad_input | err: 1006 | "
     "device-side assert | cuda runtime error (59) | assertion `* failed | assertion '* failed | "
     "assertion * failed. | index out of bounds | nrt_invalid: | nrt_invalid | invalid neff | "
     "psum_collision | cuda error: invalid argument | invalid configuration argument | "
     "invalid device pointer | invalid resource handle | cuda error: initialization error | "
     "nccl error 4 | ncclinvalidargument | mismatched allreduce | mismatched allgather | "
     "mismatched broadcast | mismatched data type | one rank sent | collective mismatch | "
     "detected mismatch between collectives | cublas_status_invalid_value | "
     "cudnn_status_bad_param | cudnn_status_not_supported",
     "an assertion of the program failed"},
    {Rank::kException, "user_code", kNo,
     "subtype_numerical | numerical error | nrt_exec_completed_with_num_err | nan loss | "
     "loss is nan | loss became | loss: nan | loss=nan | loss = nan | nan or inf | inf or nan | "
     "nans or infs | non-finite | not finite | is nan, | nan detected | nan encountered | "
     "loss diverged | minimum loss scale | current loss scale already at minimum | "
     "infinite or nan | found nan | contains nan | loss exploded | gradient overflow | nan/inf | "
     "inf/nan | becomes nan | went nan | failed to converge | did not converge | diverged | "
     "numerically unstable | singular matrix | not positive-definite | not positive definite | "
     "infinite loss | blew up | loss * is inf | negative loss | gradients exploded | "
     "gradient explosion | nan grad | nan in grad | nan in loss | nans in | nan value * in | "
     "nan occurs | nan appeared | nan appears | tensor([nan, nan | nan found | grad norm is nan | "
     "gradient norm is nan | gradients are nan | gradient is nan | grad_norm: nan | "
     "grad_norm': nan | grad_norm=nan | norm is nan",
     "the training diverged",
     "input"},
    {Rank::kException, "user_code", kNo,
     "shapes cannot be multiplied | must match the size of tensor | "
     "expected all tensors to be on the same device | element 0 of tensors does not require grad | "
     "expected more than 1 value per channel | incompatible shapes | size mismatch, | "
     "shape mismatch | expected input | dimension out of range | expected scalar type | "
     "marked as ready twice | expected to have finished reduction | trying to backward through | "
     "modified by an inplace operation | no module named | cannot import name | undefined symbol | "
     "cannot open shared object | is not defined | unexpected keyword argument | "
     "has no attribute | list index out of range | missing 1 required positional | object is not | "
     "not subscriptable | not callable | cannot re-initialize cuda in forked | syntaxerror | "
     "indentationerror | can't pickle | cannot pickle | invalid syntax | "
     "could not find a version that satisfies | : not found | not found in $path | "
     "no matching distribution found | resolutionimpossible | distributionnotfound | "
     "distribution was not found | failed building wheel | subprocess-exited-with-error | "
     "metadata-generation-failed | pip install * error | pip subprocess | command not found | "
     "error: exception: | undefined reference | error: command 'gcc | panicked at | "
     "compilation failed | internal compiler error | compilation error | failed compilation | "
     "compile failed | neuronx-cc * compile * exit status | runneuronccimpl | "
     "out of resource: shared memory | expected parameter | sizes of tensors must match | "
     "dimensions must be equal | incompatible size | incompatible dimensions | "
     "dimension mismatch | ninja: build stopped | fatal error: * no such file | "
     "compilation terminated | collect2: error | ld returned | unresolved import | "
     "failed to import | unable to import | couldn't import | traceback: nameerror | "
     "abstract tracer | is out of bounds | recursion depth | division by zero | divide by zero | "
     "runtimeenvsetuperror | failed to set up runtime environment | pip * failed | "
     "conda * failed | conflicting dependencies | dependency conflict | version conflict | "
     "incompatible versions | could not build wheels | no such module | graph disconnected",
     "an error of the program or its dependencies"},
    {Rank::kException, "data", kNo,
     "no such file or directory | file * does not exist | path * does not exist | "
     "directory * does not exist | dataset * does not exist | checkpoint * does not exist | "
     "file does not exist | can't find * file | could not find * file | cannot find * file | "
     "file not found | directory not found | folder not found | path not found | "
     "not found: /opt/ml/input | not found: s3:// | ' does not exist | ` does not exist | "
     "object * not found | object * does not exist | prefix * does not exist | "
     "location * does not exist | uri * does not exist | didn't find * in",
     "a file is missing",
     "orted | /usr/bin/env: | .py' | .so | command | .py:  | module | attribute | key | index | "
     "function | layer | table | user "},
});
// clang-format on

}  // namespace

std::span<const Signature> signatures_of_program() { return kTable; }

}  // namespace trainwarden::rules
