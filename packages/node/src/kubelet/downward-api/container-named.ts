import type { Container, Pod } from '@orrery/kinds'

const byPod = new WeakMap<Pod, ReadonlyMap<string, Container>>()

/** Returns a container or init container of a pod by name. A pod can have many, so they are indexed once. */
export function containerNamed(pod: Pod, name: string | undefined): Container | undefined {
  if (name === undefined) return undefined
  let containers = byPod.get(pod)
  if (containers === undefined) {
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    containers = new Map(all.map((container) => [container.name, container]))
    byPod.set(pod, containers)
  }
  return containers.get(name)
}
