// Machines, the capacity and quota for them, and who took them away.
#include <array>

#include "handlers/rules/failure/failure_signature_parts.h"

namespace trainwarden::rules {
namespace {

// clang-format off
constexpr auto kTable = std::to_array<Signature>({
    // ---- machines
    {Rank::kMachine, "hardware", kOnce,
     "is/are busy or unavailable | all cuda-capable devices are busy | "
     "failed to process command * opcode | efa_com_* failed | cudaerrordevicesunavailable | "
     "cuda_error_device_unavailable | cudnn_status_mapping_error | device acquire failed | "
     "syndeviceacquire",
     "the device did not answer now, and may on another try"},
    {Rank::kMachine, "hardware", kYes,
     "hardware error | hw error | critical hardware | hardware failure | hardware fault | "
     "hardware issue | faulty gpu | bad gpu | defective gpu | defective node | "
     "defective hardware | failing execution | engines are running | hal init failed | "
     "timestamp program stop timeout | failed to stop neuron core | "
     "failed to initialize devices, error:5 | dma abort | nvlink is down | nvlink * is down | "
     "nvlink down | nvlink: * inactive | nvlink training fail | nvlink training error | "
     "uncorrectable ecc | ecc error | uncorrected ecc | double bit ecc | "
     "cudaerroreccuncorrectable | double-bit ecc | uncorrectable memory error | "
     "uncorrectable error | row remapping fail | row remap fail | remapped rows pending | "
     "page retirement | uncorrectable nvlink | nvlink error | nvlink fatal | sram ecc | hbm_ue | "
     "nc_ue | nrt_hw_error | nrt_exec_hw_err | nrt_exec_unit_unrecoverable | "
     "memory errors detected | hardwarefailure | nvidiagpuunhealthy | gpuunhealthy | "
     "neuronunhealthy | unhealthy devices | no healthy devices | device unhealthy | "
     "gpu is unhealthy | unhealthy gpu | gpu * unhealthy | accelerator device halted | "
     "silent data corruption | sdc detected | sdc suspected | broken gpu | gpu hang | "
     "parity error | unrecoverable * device | nvlink * fail | nvlink * error | "
     "nvlink error counter | hbm error | gpu memory error | dram error | memory scrub | "
     "sram uncorrectable | dram uncorrectable | broken node | less than 8 gpus",
     "memory or links of an accelerator are faulty",
     "corrected error | uncorrectable error count: 0 | errors: 0 | errors : 0 | error count: 0 | "
     "uncorrectable : 0 | uncorrectable: 0"},
    {Rank::kMachine, "hardware", kYes,
     "ecc_uncorrectable | nvlinkuncorrectable | failed to initialize nvml: unknown | "
     "edac * uncorrect | uncorrected error | fallen off the bus | gpu is lost | device is lost | "
     "cudaerrorunknown | cuda error: unknown error | cuda failure 999 | "
     "cuda failure * unknown error | cuda driver error: unknown error | cuda runtime error (30) | "
     "thcudacheck * unknown error | "
     "cuda_error_unknown | gpu requires reset | gpu recovery action | gpu has been reset | "
     "unable to determine the device handle | rminitadapter failed | gpu stopped processing | "
     "nvml_error_gpu_is_lost | unknown error (nvml | off the bus | lost gpu | gpu not responding | "
     "gpu * not responding | gpu * no longer accessible | gpu has been lost | "
     "gpu is not accessible | gpu initialization failed | gpu driver crash | nvrm: gpu * failed | "
     "gsp rpc timeout | timeout waiting for rpc from gsp | nvrm: * gsp | no devices were found | "
     "nv_err_gpu_is_lost | nv_err_reset_required | gpu_is_lost",
     "the host lost its GPU"},
    {Rank::kMachine, "hardware", kYes,
     "sxid (pci | nvswitch * fatal | fabric manager * not | fabricmanager * fail | "
     "fabric manager fail | error 802 | system not yet initialized | cudaerrorsystemnotready | "
     "cuda_error_system_not_ready | find the gpu handle | supported system topology | "
     "nvswitch driver failed | nv_warn_nothing_to_do | nvswitches don't match | "
     "aborting fabric manager | fabric manager * abort",
     "the NVSwitch fabric of the host is broken or not up"},
    {Rank::kMachine, "hardware", kYes,
     "insufficient power | mlx5_cmd_out_err | cable error | bad/unsupported eeprom | nic failure | "
     "nic down | link down | link is down | link flap | cable unplugged | nic link is down | "
     "link is not ready | health compromised | device's health | mlx5_core * fatal | "
     "mlx5 * internal error | assert_exit_ptr | port module event * error | aer: * fatal | "
     "pcie bus error: severity=uncorrected | machine check exception | machine check event | "
     "machine check error | mce: [hardware | hardware error * cpu | "
     "bus error: severity=uncorrected | local catastrophic error | health check timeout | "
     "device fatal | link state * down | no carrier | carrier lost | firmware error | "
     "firmware * fatal | admin queue * timeout | health poll failed | transmit queue * timed out | "
     "netdev watchdog | smart error | "
     "edac * 1 ue | edac * ue memory | edac * ue row | edac * ue error",
     "the network card, the bus or the processor failed",
     "corrected error | download"},
    {Rank::kMachine, "hardware", kYes,
     "disabling device after reset | i/o tag * timeout | reset controller | nvme * timeout | "
     "disk failure on | md/raid * failed | xfs * corruption | failed to read superblock | "
     "sense key : | hard lockup | soft lockup | blocked for more than | kernel panic | "
     "kernel bug at | call trace: hung | remounting filesystem read-only | remounted read-only | "
     "remount-ro | i/o error, dev | blk_update_request: | buffer i/o error | "
     "nvme * controller is down | nvme * i/o timeout | medium error | xfs * metadata i/o error | "
     "ext4-fs error | shut down filesystem | device lost | read-only file system | errno 30] | "
     "erofs | nvme * aborted | nvme * abort status | unrecovered read error | "
     "uncorrectable sector | bad sector | xfs * i/o error | xfs * shutdown | xfs * log i/o error | "
     "btrfs * error | critical medium error | critical target error | i/o error on device | "
     "device not ready | bad superblock | no available path | beyond end of device | "
     "while writing superblock | i/o error while | failing i/o | lost async page write | "
     "failing array",
     "a disk device failed"},
    {Rank::kMachine, "hardware", kYes,
     "thermal violation | thermal slowdown | hw slowdown | overheat | power brake | "
     "thermal shutdown | temperature above threshold | power supply fail | thermal trip | "
     "critical temperature | over temperature | slowdown temp | thermal throttl | cooling fail | "
     "fan fail | power cap violat",
     "heat or power"},
    {Rank::kMachine, "hardware", kYes,
     "is a straggler | was unhealthy | instance * unhealthy | unhealthy instance | "
     "unhealthy node | node is unhealthy | node * not healthy | faulty node | fault node | "
     "failed health check | failed its health check | node * health check failed | "
     "failed the node check | node check failed | health check failed * gpu | deep health check | "
     "node failure | node_fail | node * is down | nodenotready | node is not ready | "
     "node not ready | node became unready | dcgm * fail | system status check | "
     "node * not ready | node(s) failed | node * unresponsive | node is unresponsive | "
     "node * not responding | defective host | host * unhealthy | unhealthy host | "
     "machine is down | instance * failed status check | instance status check | "
     "instance retirement | instance is degraded | degraded hardware | underlying hardware | "
     "straggler detected | is marked unhealthy | marked as unhealthy | marked as down | "
     "not_responding | node_down | boot_fail | node_failure | isnothealthy | nothealthy | "
     "replace_vm | recommended action=re | recommended action: re | link_downed | link downed | "
     "port training state",
     "the host is unhealthy or slow",
     "fault nodes are: [] and stragglers are: [] | 'node_"},

    {Rank::kSymptom, "hardware", kYes,
     ": port error | non-fatal async event | async event : port",
     "a port of the network card went down; what broke in consequence says more"},

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
     "request * limit increase | exceeds * quota | no quota | quota is 0 | quota of 0 | quota: 0 | "
     "insufficient * quota | quota * reached | quota * limit | over quota | quota exceeded | "
     "exceeds * limit of your account | reached the limit | reached your limit | "
     "maximum number of * allowed | instance limit | limits for your account | assocgrp | "
     "assocmax | qosgrp | assoc * limit | request a limit | request a quota | service quota | "
     "quota increase | exceed quota | quota metric | quota failure | exceeds the allowed maximum | "
     "exceeds allowed | exceeded allowed",
     "the account may not have that many",
     "disk quota | disk | filesystem | inode | storage | pivot | /var/lib | quota exceeded on | "
     "per minute"},
    {Rank::kCause, "capacity", kYes,
     "insufficientinstancecapacity | insufficient instance capacity | insufficient capacity | "
     "insufficientcapacity | insufficient notebook instance | insufficienthostcapacity | "
     "unfulfillablecapacity | unable to provision requested | sufficient * capacity | "
     "no spot capacity | no capacity | capacity-not-available | not enough capacity | "
     "no available capacity | not have enough resources | resource_pool_exhausted | "
     "capacity is not available | capacity * currently * not available | capacity is currently | "
     "out of capacity | lack of capacity | spot capacity * not available | "
     "capacity-oversubscribed | price-too-low | skunotavailable | allocationfailed | "
     "allocation failed * capacity | overconstrainedallocation | stockout | "
     "insufficient nvidia.com/gpu | insufficient * efa | requested ml compute capacity | "
     "reservationcapacityexceeded | unable to fulfill * capacity | unable to fulfill * request | "
     "failed to launch * capacity | resourcesunavailableerror | failed to provision | "
     "failed to acquire resources | provisioning * fail | no machines available | "
     "instance type * not available | instance type * unavailable | "
     "is temporarily unavailable in | insufficient resources | insufficient nodes | "
     "no nodes available | no resources available | resources are not available | "
     "zone_resource_pool_exhausted | does not have enough resources | exhausted * zone | "
     "try a different * zone | try another * zone | insufficient cpu | insufficient * capacity | "
     "could not be launched | unable to launch * instance | failed to launch * instance | "
     "could not launch * instance | capacitynotavailable | capacity error | no more capacity | "
     "capacity block * not | reserved capacity | didn't trigger scale-up | can't scale up | "
     "nodes are available: * insufficient | capacityerror: | capacityerror) | (capacityerror | "
     "available right now | change the compute type | currently unavailable in * zone | "
     "no longer available in * zone | temporarily out of | out of host capacity | "
     "not enough ec2 instances | no ec2 instances | instances are not available in",
     "no instance of the type was free"},

    // ---- somebody took or ended the job
    {Rank::kCause, "interrupted", kNo,
     "stopped by user | stopped by the user | user requested | terminated by user | by uid | "
     "keyboard interrupt | cancelled by | canceled by | user-requested | user initiated | "
     "stoptrainingjob | manually stopped | manually terminated | stopped manually | "
     "cancelled at * by user | job was stopped by | job was cancelled | aborted by user | "
     "killed by user | interrupted by user | stop requested | user-initiated | "
     "terminated-by-user | requested to terminate | stopped at user | stop request | "
     "cancelled on request | on user request | user cancelled | user canceled | user aborted | "
     "cancelled manually | canceled manually | revoked by | deleted by user | user deleted | "
     "job was stopped | job was canceled | user interrupt | term_owner | killed by owner | "
     "job killed by owner | term_admin | removed by user | removed by the user | condor_rm | "
     "deleted by owner | qdel | scancel",
     "it was stopped on request"},
    {Rank::kCause, "interrupted", kYes,
     "instance-action | termination is imminent | imminent termination | job preempted | "
     "due to preemption | spot training instances were interrupted | spot interruption | "
     "spot instance interruption | spot instance * reclaimed | spot instance * terminated | "
     "spot * was interrupted | spot reclaim | was preempted | been preempted | preempting | "
     "preempted | bidevicted | instance was terminated | instance terminated | "
     "host ec2 * terminated | host terminated | server.spotinstance | node shutdown | "
     "node was terminated | instance-terminated | instance-stopped | instance termination | "
     "being reclaimed | marked for termination | machine was terminated | node is shutting down | "
     "taintmanagereviction | taint manager | disruptiontarget | rebalance recommendation | "
     "interruption notice | termination notice | interruption warning | spot termination | "
     "preemption notice | received preemption | preemption signal | preemption by | pod evicted | "
     "evicting pod | spot instances were | spot instance * lost | spot * interrupted | "
     "spot * terminated | spot * preempt | reclaimed by | instance reclaimed | node draining | "
     "node is being drained | node * drained | scale down * node | scheduled for termination | "
     "maintenance event | host maintenance | instance is going away | node was deleted | "
     "instance was stopped | server shutting down for maintenance | due to to preemption | "
     "jobs preempted | term_preempt | term_requeue | job requeued | requeued due to | "
     "requeue due to | pod was evicted | job was evicted | been evicted | evicted by node | "
     "evicted by the | pre-empted | pre-emption | is preempted | spotinterruption | spot_itn | "
     "spot itn | interruption message | interruption event | cordonanddrain | cordon and drain | "
     "initiating delete from interruption",
     "the machine was taken away"},
});
// clang-format on

}  // namespace

std::span<const Signature> signatures_of_machines() { return kTable; }

}  // namespace trainwarden::rules
