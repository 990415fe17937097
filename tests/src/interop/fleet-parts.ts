import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { installSpoke } from '@orrery/agent'
import { AGENT_NAMESPACE, addOnConverters, ClusterClaim, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { type ApiServer, type ApiServerOptions, startApiServer } from '@orrery/apiserver'
import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { NodeGate, type Programs, startNode } from '@orrery/node'
import { afterwards } from '../support/server.js'
import type { OcmProgram } from './ocm.js'

/** An API server over TLS, with its kubeconfig in a file for other programs. */
export interface Served {
  readonly server: ApiServer
  readonly client: KubeClient
  readonly directory: string
  readonly kubeconfig: string
}

export async function serve(
  t: Pick<TestContext, 'after'>,
  options: Pick<ApiServerOptions, 'admission' | 'connectors' | 'groups'> = {},
): Promise<Served> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-interop-'))
  afterwards(t, () => rm(directory, { recursive: true, force: true }))
  const server = await startApiServer({ converters: addOnConverters, ...options })
  afterwards(t, () => server.close())
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfig())
  return { server, client: server.client(), directory, kubeconfig }
}

/** Such a server with a node that runs programs for images, as a cluster runs containers. */
export async function serveCluster(
  t: Pick<TestContext, 'after'>,
  name: string,
  programs: Programs,
  options: Pick<ApiServerOptions, 'admission'> = {},
): Promise<Served> {
  const gate = new NodeGate()
  const served = await serve(t, { ...options, connectors: gate.connectors, groups: gate.groups })
  const { server, client, directory } = served
  const node = await startNode({
    client,
    gate,
    name: `${name}-node`,
    directory: join(directory, 'node'),
    programs,
    server: server.url,
    // Programs of others find their service account where Kubernetes mounts it.
    isolation: 'required',
  })
  afterwards(t, () => node.stop())
  return served
}

const CLAIM = { name: 'id.k8s.io', value: 'the-id' }

/** A cluster to manage, with a claim. */
export async function serveSpoke(t: Pick<TestContext, 'after'>): Promise<Served> {
  return prepareSpoke(await serve(t))
}

/** Makes a server a cluster to manage, with a claim. */
export async function prepareSpoke(spoke: Served): Promise<Served> {
  await installSpoke(spoke.client, AGENT_NAMESPACE)
  const { name, value } = CLAIM
  await spoke.client.create(ClusterClaim, { metadata: { name }, spec: { value } })
  return spoke
}

const TIMEOUT = { timeoutMilliseconds: 90_000 }

/** The object, as soon as it matches. On a timeout the error has the logs of the programs. */
export async function when<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  ref: ObjectRef,
  holds: (object: T) => boolean,
  programs: readonly OcmProgram[],
): Promise<T> {
  let found: T | undefined
  try {
    await eventually(
      `${kind.kind} ${ref.name} is as wanted`,
      async () => {
        found = await client.find(kind, ref)
        return found !== undefined && holds(found)
      },
      TIMEOUT,
    )
  } catch (error) {
    const logs = programs.map(({ log }) => log).join('\n---\n')
    throw new Error(`${(error as Error).message}: ${JSON.stringify(found, undefined, 1)}\n${logs}`)
  }
  return found as T
}

/** Resolves when the cluster is accepted, joined and available, and its claims have arrived. */
export async function whenJoined(hub: KubeClient, name: string, programs: readonly OcmProgram[]): Promise<void> {
  const { HubAccepted, Joined, Available } = ManagedClusterCondition
  const { status } = await when(
    hub,
    ManagedCluster,
    { name },
    ({ status }) =>
      [HubAccepted, Joined, Available].every((type) => isConditionTrue(status?.conditions, type)) &&
      status?.clusterClaims?.length === 1,
    programs,
  )
  assert.deepEqual(status?.clusterClaims, [CLAIM])
}

export async function whenGone<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  ref: ObjectRef,
): Promise<void> {
  await eventually(
    `${kind.kind} ${ref.name} is gone`,
    async () => (await client.find(kind, ref)) === undefined,
    TIMEOUT,
  )
}
