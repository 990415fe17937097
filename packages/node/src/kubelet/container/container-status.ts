import type { Container, ContainerState, ContainerStatus } from '@orrery/kinds'
import type { ContainerRun } from './container-run.js'
import { fullImageName, imageId, RUNTIME } from './image.js'

/** Returns the `ContainerStatus` of a container. `initialising` containers wait for init containers to complete. */
export function containerStatusOf(container: Container, run: ContainerRun, initialising: boolean): ContainerStatus {
  const { live, terminated, last } = run
  const id = live === undefined ? terminated?.containerID : `${RUNTIME}://${live.id}`
  const previous = live === undefined && run.waiting !== undefined ? terminated : last
  const image = container.image ?? ''
  return {
    name: container.name,
    state: stateOf(run, initialising),
    ...(previous !== undefined && { lastState: { terminated: previous } }),
    ready: run.ready,
    restartCount: run.restarts,
    image: id === undefined ? image : fullImageName(image),
    imageID: id === undefined ? '' : imageId(image),
    ...(id !== undefined && { containerID: id }),
    started: run.started,
    ...(live !== undefined && runningFields(container)),
  }
}

function stateOf({ live, waiting, terminated }: ContainerRun, initialising: boolean): ContainerState {
  if (live !== undefined) return { running: { startedAt: live.startedAt } }
  if (waiting === undefined && terminated !== undefined) return { terminated }
  return { waiting: initialising ? { reason: 'PodInitializing' } : { ...waiting } }
}

function runningFields({ resources, volumeMounts = [] }: Container): Partial<ContainerStatus> {
  const { requests, limits } = resources ?? {}
  return {
    ...(requests !== undefined && { allocatedResources: requests }),
    resources: { ...(limits !== undefined && { limits }), ...(requests !== undefined && { requests }) },
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true && { readOnly, recursiveReadOnly: 'Disabled' as const }),
    })),
  }
}
