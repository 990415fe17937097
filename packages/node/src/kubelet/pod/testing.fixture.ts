import type { Container, ContainerState, ContainerStatus, Pod, PodSpec } from '@orrery/kinds'

/** Returns a pod with these containers. */
export function podOf(spec: Partial<PodSpec> & { readonly containers: Container[] }, status: Pod['status'] = {}): Pod {
  const metadata = {
    namespace: 'default',
    name: 'pod',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2030-01-01T00:00:00Z',
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, status }
}

export const RUNNING: ContainerState = { running: {} }
export const WAITING: ContainerState = { waiting: { reason: 'ContainerCreating' } }

export function ended(exitCode: number): ContainerState {
  return { terminated: { exitCode } }
}

/** Returns a container status with a state. */
export function statusOf(name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus {
  const isUp = state.running !== undefined
  return { name, state, ready: isUp, started: isUp, restartCount: 0, image: '', imageID: '', ...more }
}
