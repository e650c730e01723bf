// What is left when something went, what others leave behind, and wrappers.
#include <array>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {
namespace {

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
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
     "(killed) | killed python | died with signal 9 | code=137 | sigkill(-9) | "
     "terminated abruptly | sigkill",
     "killed without a word: mostly the host's memory",
     "sigkill_handler | sending | via signal"},
    {Rank::kSymptom, "interrupted", kOnce,
     "exits with return code = -15 | exits with return code = 143 | killed by signal: terminated | "
     "killed by signal: hangup | killed by signal: 15",
     "a worker got SIGTERM"},
    {Rank::kSymptom, "unknown", kOnce,
     "killed by signal: segm | killed by signal: abort | killed by signal: illegal",
     "a worker crashed"},
    {Rank::kSymptom, "oom_host", kOnce,
     "dataloader worker * killed | dataloader worker killed | "
     "dataloader worker * exited unexpectedly",
     "a data loader was killed",
     "exit code 1."},
    {Rank::kSymptom, "unknown", kOnce,
     "segfault at | segfault in | segmentation fault | sigsegv | signal 11 | exitcode: -11 | "
     "exit code 139 | exit code: 139 | bus error | sigbus | signal 7 | exitcode: -7 | "
     "exit code 135 | exit code: 135 | illegal instruction | sigill | exit code 132 | "
     "floating point exception | sigfpe",
     "a crash whose owner is not told"},
    {Rank::kSymptom, "unknown", kOnce,
     "first task exited | exited abnormally | due to task failure | "
     "srun: error: * exited with exit code",
     "a task of a step failed, and the scheduler ended the others"},
    {Rank::kSymptom, "network", kYes,
     "node has died | node died | node dying | node was marked dead | node was lost | "
     "raylet has died | raylet died | lost contact with the node | node has crashed | "
     "node crashed | node is dead",
     "a machine was lost, and nothing says why"},
    {Rank::kSymptom, "interrupted", kNo,
     "keyboardinterrupt",
     "somebody pressed Ctrl-C"},
    {Rank::kSymptom, "interrupted", kOnce,
     "closing signal sighup | closing signal sigint",
     "torchrun hands on what it was sent itself"},
    {Rank::kSymptom, "interrupted", kOnce,
     "0/1 evicted | 0/2 evicted | status: evicted | reason: evicted | 'evicted' | \"evicted\"",
     "a pod was evicted, and nothing says for what"},
    {Rank::kSymptom, "interrupted", kOnce,
     "sigterm | sighup | sigint | death signal | got signal: 15 | got signal: 1 | got signal: 2 | "
     "got signal :1 | got signal :15 | signalexception | received sigterm | received signal 15 | "
     "caught sigterm | sigterm received | sighup received | received sighup | caught signal 15 | "
     "caught signal: 15 | signal 15 | exit code 143 | exit code: 143 | exitcode: -15 | "
     "exit code -15 | exitcode: -1 | exitcode 143 | received a sigterm | received sigint | "
     "got sigterm | sigterm handler | sigterm signal received | terminated by signal sigterm | "
     "terminated by signal 15 | sigtermexception | asked to terminate | stopping container | "
     "killing: container",
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
     "cannot connect to host | could not connect | can't connect | peer * closed | "
     "closed by peer | remote peer | reset by peer | remote process has * exited | "
     "remote process exit | call to ibv_ | ibv_modify_qp | ibv_ * failed | net/ofi * error | "
     "net/ofi * failed | net/ib * failed | net/socket * error | rendezvous * fail | "
     "rendezvous * timed out | rendezvous * timeout | rendezvousconnectionerror | "
     "rendezvoustimeouterror | rendezvousclosederror | rendezvous * closed | rendezvous * error | "
     "rdzv * timeout | timeout waiting for rx | timeout waiting for incoming | "
     "timeout waiting for connect | client socket has | tcp connection | "
     "unexpectedly disconnected | peer process * disconnected | disconnected | efa_rdm * err | "
     "efa * cq * err | connection to * failed | couldn't connect | could not be reached | "
     "host unreachable | unreachable | no response from | connect() | failed to accept | "
     "waitforinput | poolfd failed | diststoreerror | distnetworkerror | store->get | tcpstore | "
     "key-value store * error | timed out after * clients joined | clients joined | "
     "failed to bind | address already in use | errno 98] | eaddrinuse | errno: 98 | "
     "nrt_network_proxy | unavailable: | rpc failed | statuscode.unavailable | "
     "deadline exceeded while | unable to reliably start | ssh: connect | ssh exited | "
     "ssh * exit status 255 | prov_errno | efa_rdm | remote i/o error | insert remote address | "
     "address vector | fi_av_insert | net/ofi * unable to | net/ofi unable to | "
     "net/ofi * could not | net/ib * unable to | net/ib * could not | net/socket * unable to | "
     "gloo * timeout | connectfullmesh | connect to * failed | network connection | "
     "network set up issue | epipe | lost connection | failed to recv | failed to send | "
     "bootstrap * fail | unable to contact | ncclremoteerror | unhandled system error | "
     "ncclsystemerror | wait timeout after * keys | host is down | connection to * timed out | "
     "connecting to * timed out | store based barrier | store_based_barrier | registertask | "
     "timed out initializing process | fstimeouterror | servertimeouterror | sockettimeouterror",
     "a peer did not answer, or hung up",
     "connection error code | collective timeout | graph disconnected | "
     "stopped sending heartbeats"},
    {Rank::kSymptom, "timeout", kOnce,
     "exceeded * runtime | exceeded * time limit | exceeds * runtime | reached * maximum runtime | "
     "maxruntimeexceeded | maxwaittimeexceeded | exceeded the maximum allowed runtime | "
     "maximum allowed runtime | maximum runtime | exceeded * wait time | maximum wait | "
     "due to time limit | walltime | wall time | active longer than specified deadline | "
     "deadlineexceeded | job attempt duration exceeded timeout | exceeded timeout | "
     "job timed out | timed out * job | term_runlimit | term_cpulimit | run time limit | "
     "runtime limit | cpu time limit | cputime | walltime * exceeded | exceeded walltime | h_rt | "
     "run limit | exceeded limit * walltime | time limit exceeded | timelimit | max_runtime | "
     "max runtime | maximum execution time | execution time limit | stopping condition | "
     "job deadline | timeout limit | wallclock limit | wall clock limit | wallclock time",
     "the job's own clock ran out"},
    {Rank::kSymptom, "timeout", kOnce,
     "collective operation timeout | watchdog caught | watchdog thread terminated | "
     "before timing out | did not receive response | timed out waiting for | monitoredbarrier | "
     "monitored barrier | deadline_exceeded | inference timeout | execution timeout | "
     "exec_timeout | nrt_timeout | launch timed out | cudaerrorlaunchtimeout | stalled ops | "
     "stalled tensors | waiting for remainder of ranks | timed out waiting | wait timeout after | "
     "hccl * timeout | notify wait timeout | nccl timeout | nccl * timed out | "
     "collective * timed out | operation timed out | watchdog got stuck for | watchdog timeout | "
     "heartbeat monitor timed out | heartbeat timeout | missed heartbeat | heartbeat * missed | "
     "heartbeats * timed out | stopped sending heartbeats | detected fatal errors * heartbeat | "
     "timeout at nccl work | not all of them arrived | has been waiting for | "
     "collective operation timed out | hang detected | hang detection | no progress for | "
     "without making progress | stuck in | deadlock detected | possible deadlock | times out | "
     "ei0006 | ei0002 | notify register | nccl error: timeout | stalled ranks | "
     "collective timeout | missing infer_status | missing * notification | completed with err: 5",
     "a collective or a device did not finish",
     "operations have failed or timed out"},
    {Rank::kHint, "user_code", kNo,
     "has not been initialized | not initialized | already initialized | "
     "already been initialized | must be called | must call | before calling",
     "the line of the failure speaks of how the program was written"},
    {Rank::kSymptom, "timeout", kOnce,
     "timed out | timeouterror | timeout: | timeout after | timeout expired | timeout exceeded | "
     "timeout reached | timeout error",
     "something did not finish in its time",
     "operations have failed or timed out"},
    {Rank::kSymptom, "interrupted", kOnce,
     "cancelled at | job * cancelled | was terminated | been terminated | received shutdown",
     "the scheduler ended it"},
    {Rank::kSymptom, "user_code", kNo,
     "uncaught exception | unhandled exception | check failed: | check failure stack trace | "
     "with exception: | exception during | train call failed | exception while | "
     "an exception was raised | exception in main | exception in training",
     "an exception of which nothing else is known"},

    // ---- what a line that tells of a failure is about, where nothing says more
    {Rank::kHint, "oom_gpu", kNo,
     "gpu memory | device memory | cuda memory | vram | hbm",
     "the line of the failure speaks of memory of a device"},
    {Rank::kHint, "oom_host", kNo,
     "memory | ram usage | swap",
     "the line of the failure speaks of memory"},
    {Rank::kHint, "disk", kNo,
     "disk | storage | inode | filesystem | file system",
     "the line of the failure speaks of a disk"},
    {Rank::kHint, "quota", kNo,
     "quota | limit exceeded | usage limit",
     "the line of the failure speaks of a limit of the account"},
    {Rank::kHint, "capacity", kOnce,
     "capacity | provision | spot price",
     "the line of the failure speaks of machines that were not to be had"},
    {Rank::kHint, "interrupted", kOnce,
     "preempt | evict | reclaim | spot instance | shutting down | shutdown requested",
     "the line of the failure speaks of somebody took the machine or ended the job"},
    {Rank::kHint, "permission", kNo,
     "permission | credential | authoriz | authentic | access denied | iam role | forbidden | "
     "api token | access token",
     "the line of the failure speaks of a right"},
    {Rank::kHint, "hardware", kOnce,
     "hardware | nvlink | infiniband | pcie | nvidia driver error | gpu device | faulty",
     "the line of the failure speaks of a part of the machine"},
    {Rank::kHint, "config", kNo,
     "hyperparameter",
     "the line of the failure speaks of a hyperparameter"},
    {Rank::kHint, "data", kNo,
     "dataset | input data | training data | csv | parquet | tfrecord | recordio | json file | "
     "data file | image file | annotation | archive | time series | labels | column | rows | "
     "records | images | samples | examples | features | data files | data channel",
     "the line of the failure speaks of the input"},
    {Rank::kHint, "config", kNo,
     "parameter | configuration | config | setting | entrypoint | entry point | container image | "
     "environment variable | subnet | security group | vpc | world size | driver version | "
     "instance type",
     "the line of the failure speaks of settings"},
    {Rank::kHint, "network", kOnce,
     "connection | connect to | network | socket | dns | endpoint | rendezvous | peer",
     "the line of the failure speaks of a connection"},
    {Rank::kHint, "timeout", kOnce,
     "timeout | time out | timed out | deadline | time limit | hung | stuck",
     "the line of the failure speaks of time"},
    {Rank::kHint, "service", kOnce,
     "try again later | retry later | retry again later",
     "the line of the failure speaks of a service that is busy"},

    // ---- consequences and wrappers
    {Rank::kConsequence, "unknown", kOnce,
     "nccl communicator was aborted | communicator is aborted | has been shut down | "
     "childfailederror | closing signal | via signal sig | entire process down | "
     "some nccl operations have failed | non-zero exit status | non-zero exit | "
     "last enqueued nccl work | detected by watchdog | nccl error | gloo error | "
     "process exited with | exited with code | failed to run: [ | caught runtimeerror in | "
     "no training job succeeded | one or more processes | internal: from /job | "
     "no metrics got observed | exited unexpectedly | mpi_abort | one of the ranks | "
     "see root cause above | aborting job | terminated early | task was killed | worker died | "
     "actor died | other workers | unhandled cuda error | ncclunhandledcudaerror | "
     "ncclinternalerror | internal check failed | runtimeerror: internal: | "
     "unexpectedly exits with | exits with a connection error code | crashed with exit code | "
     "failed with exit code | entrypoint command failed",
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

std::span<const Signature> signatures_of_remains() { return kTable; }

}  // namespace trainwarden::rules
