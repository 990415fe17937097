import type { TestContext } from 'node:test'
import { systemClock } from '@orrery/kube/clock'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { Extension } from '../../codec/extensions.js'
import { jsonBytes, newEvent } from '../../codec/new-event.js'
import type { Access } from '../access/access.js'
import { type CoreOptions, type MaestroCore, startCore } from '../core/core.js'
import { authenticate } from '../grpc/authorization.js'
import { brokerService } from '../grpc/broker-service.js'
import { Heartbeats } from '../grpc/heartbeats.js'
import { openGrpcPort } from '../grpc/port.js'
import { Rounds } from '../grpc/rounds.js'
import type { CallContext } from '../grpc/service.js'
import { sourceService } from '../grpc/source-service.js'
import { TestClient } from './grpc-client.fixture.js'

const ALLOW_ALL: Access = {
  authenticate: () => Promise.resolve({ user: 'test', groups: [] }),
  authorize: () => Promise.resolve(),
}

export interface TestServer {
  readonly core: MaestroCore
  /** Clients of the port of sources and the port of agents. */
  readonly source: TestClient
  readonly agent: TestClient
  readonly ports: { readonly sources: number; readonly agents: number }
  connectAgent(): TestClient
}

/** A core with both ports, which the test closes. */
export async function startServer(
  t: TestContext,
  options: CoreOptions & { access?: Access; heartbeatSeconds?: number; recheckSeconds?: number },
): Promise<TestServer> {
  const core = await startCore({
    ...options,
    onResync: (request) => void (request.port === 'sources' ? sources : agents).answer(request),
    onConsumerDeleted: (name) => agents.end(name, 'the consumer was deleted'),
  })
  const heartbeats = new Heartbeats(systemClock, options.heartbeatSeconds ?? 10)
  const rechecks = new Rounds<void>(systemClock, options.recheckSeconds ?? 30, () => undefined)
  const services = { core, access: options.access ?? ALLOW_ALL, heartbeats, rechecks }
  const [sources, agents] = [sourceService(services), brokerService(services)]
  const { access } = options
  const admitted = access && { userOf: async (context: CallContext) => (await authenticate(access, context)).user }
  const [sourcePort, agentPort] = await Promise.all([
    openGrpcPort({ service: sources, ...admitted }),
    openGrpcPort({ service: agents, ...admitted }),
  ])
  const clients: TestClient[] = []
  const connect = (port: number) => {
    const client = new TestClient(port)
    clients.push(client)
    return client
  }
  t.after(async () => {
    heartbeats.close()
    rechecks.close()
    for (const service of [sources, agents]) service.endAll('the server stops')
    for (const client of clients) client.close()
    await Promise.all([sourcePort.close(), agentPort.close()])
    await core.close()
  })
  return {
    core,
    ports: { sources: sourcePort.port, agents: agentPort.port },
    source: connect(sourcePort.port),
    agent: connect(agentPort.port),
    connectAgent: () => connect(agentPort.port),
  }
}

export const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})

interface SpecOptions {
  readonly id: string
  readonly source?: string
  readonly cluster?: string
  readonly version?: number
  readonly manifests?: readonly unknown[]
}

/** What a source publishes. */
export function spec(action: 'create' | 'update' | 'delete', options: SpecOptions): CloudEvent {
  const { id, source = 's1', cluster = 'c1', version = 0, manifests = [configMap('one')] } = options
  return newEvent({
    source,
    subResource: 'spec',
    action: `${action}_request`,
    extensions: {
      [Extension.ClusterName]: cluster,
      [Extension.ResourceId]: id,
      [Extension.ResourceVersion]: version,
      [Extension.Metadata]: JSON.stringify({ name: `work-${id}`, namespace: cluster, labels: { app: 'x' } }),
      ...(action === 'delete' && { [Extension.DeletionTimestamp]: new Date() }),
    },
    ...(action !== 'delete' && { data: jsonBytes({ manifests }) }),
  })
}

interface StatusOptions {
  readonly id: string
  readonly version: number
  readonly sequence: number
  readonly cluster?: string
  readonly condition?: string
}

/** What an agent publishes. */
export function status(options: StatusOptions): CloudEvent {
  const { id, version, sequence, cluster = 'c1', condition = 'Applied' } = options
  return newEvent({
    source: `${cluster}-work-agent`,
    subResource: 'status',
    action: 'update_request',
    extensions: {
      [Extension.ClusterName]: cluster,
      [Extension.OriginalSource]: 'maestro',
      [Extension.ResourceId]: id,
      [Extension.ResourceVersion]: version,
      [Extension.SequenceId]: String((BigInt(sequence) << 22n) | (1n << 12n)),
      [Extension.StatusHash]: `hash-${sequence}`,
    },
    data: jsonBytes({
      conditions: [{ type: condition, status: 'True', reason: 'Test', message: '', lastTransitionTime: null }],
      resourceStatus: [],
    }),
  })
}
