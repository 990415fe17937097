import type { ControllerSpec } from '@orrery/kube'
import { WorkloadContext, type WorkloadOptions } from './context.js'
import { cronJobController } from './cronjob/controller.js'
import { daemonSetController } from './daemonset/controller.js'
import { deploymentController } from './deployment/controller.js'
import { disruptionController } from './disruption/controller.js'
import { jobController } from './job/controller.js'
import { orphanedJobPods } from './job/orphans.js'
import { finishedJobs } from './job/ttl.js'
import { taintEviction } from './lifecycle/eviction.js'
import { nodeLifecycle } from './lifecycle/nodes.js'
import { podCollector } from './lifecycle/podgc.js'
import { replicasController } from './replicas/controller.js'
import { replicaSets, replicationControllers } from './replicas/family.js'
import { schedulerController } from './scheduler/controller.js'
import { endpointsController } from './services/endpoints.js'
import { endpointSliceController } from './services/endpointslices.js'
import { endpointSliceMirroring } from './services/mirroring.js'
import { statefulSetController } from './statefulset/controller.js'
import { claimBinder } from './storage/binder.js'
import { defaultStorageClass } from './storage/default-class.js'
import { ephemeralVolumes } from './storage/ephemeral.js'
import { volumeReclaimer } from './storage/volumes.js'

export type { WorkloadOptions } from './context.js'

/** Returns the controllers for workloads that kube-controller-manager and kube-scheduler have upstream. */
export function workloadControllers(options: WorkloadOptions): ControllerSpec[] {
  const context = new WorkloadContext(options)
  return [
    schedulerController(context),
    deploymentController(context),
    replicasController(context, replicaSets),
    replicasController(context, replicationControllers),
    statefulSetController(context),
    daemonSetController(context),
    jobController(context),
    finishedJobs(context),
    orphanedJobPods(context),
    cronJobController(context),
    endpointsController(context),
    endpointSliceController(context),
    endpointSliceMirroring(context),
    disruptionController(context),
    claimBinder(context),
    volumeReclaimer(context),
    ephemeralVolumes(context),
    defaultStorageClass(context),
    nodeLifecycle(context),
    taintEviction(context),
    podCollector(context),
  ]
}
