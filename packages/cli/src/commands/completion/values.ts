import { existsSync } from 'node:fs'
import { ManagedCluster, ManagedClusterSet, ManifestWork, ManifestWorkReplicaSet, Placement } from '@orrery/api'
import { fleetDirectory } from '@orrery/fleet'
import { scoreOverviews } from '@orrery/hub/operations'
import { type ApiObject, type Kind, Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { loadKubeconfig } from '@orrery/kube/kubeconfig'
import { targetOf, withTarget } from '../../shared/target.js'
import type { Position } from './complete.js'
import { VM_FINDERS } from './vm-values.js'

type Options = Position['options']

/** A user waits for the candidates. */
const TIMEOUT_MS = 2_000

/** Only these characters are safe in a command line. */
const HARMLESS = /^[\w.:/-]+$/

const FINDERS: Readonly<
  Record<string, (client: KubeClient, options: Options, signal: AbortSignal) => Promise<string[]>>
> = {
  ...VM_FINDERS,
  '--clusters': namesOf(ManagedCluster),
  '--cluster-name': namesOf(ManagedCluster),
  cluster: namesOf(ManagedCluster),
  '--clusterset': namesOf(ManagedClusterSet),
  clusterset: namesOf(ManagedClusterSet),
  '--clustersets': namesOf(ManagedClusterSet),
  '--namespace': namesOf(Namespace),
  '--placement': async (client, _, signal) => {
    const { items } = await client.list(Placement, { signal })
    return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  },
  placement: async (client, { namespace, allNamespaces }, signal) => {
    const { items } = await client.list(Placement, {
      namespace: allNamespaces === undefined ? namespace : undefined,
      signal,
    })
    return [...new Set(items.map(({ metadata }) => metadata.name))]
  },
  score: async (client, { clusters }, signal) => {
    const found = await scoreOverviews(client, { clusters: clusters?.split(','), signal })
    return [...new Set(found.map(({ name }) => name))]
  },
  work: async (client, { clusters, placement, replicaset }, signal) => {
    if (replicaset !== undefined) {
      const namespace = placement?.split('/')[0]
      const { items } = await client.list(ManifestWorkReplicaSet, { namespace, signal })
      return items.map(({ metadata }) => metadata.name)
    }
    const lists = await Promise.all(
      (clusters?.split(',') ?? [undefined]).map((namespace) => client.list(ManifestWork, { namespace, signal })),
    )
    return [...new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)))]
  },
}

function namesOf<T extends ApiObject>(kind: Kind<T, object>) {
  return async (client: KubeClient, _: Options, signal: AbortSignal) =>
    (await client.list(kind, { signal })).items.map(({ metadata }) => metadata.name)
}

/** Candidates for an option or an argument, from the hub that the command line selects. Empty if it is unreachable. */
export async function liveValues(name: string, options: Options): Promise<readonly string[]> {
  try {
    return (await find(name, options)).filter((value) => HARMLESS.test(value)).sort()
  } catch {
    // An error message would garble the command line.
    return []
  }
}

async function find(name: string, options: Options): Promise<readonly string[]> {
  if (name === '--context' || name === '--hub-context') return contextsOf(options)
  const finder = FINDERS[name]
  if (finder === undefined) return []
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { data, kubeconfig, context } = options
  const target = targetOf({
    ...(data !== undefined && { data }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  })
  return withTarget(target, (client) => finder(client, options, signal))
}

async function contextsOf({ data, kubeconfig }: Options): Promise<string[]> {
  const fleet = fleetDirectory(data).kubeconfig
  const path = kubeconfig ?? (data !== undefined && existsSync(fleet) ? fleet : undefined)
  return [...(await loadKubeconfig({ path })).contexts.keys()]
}
