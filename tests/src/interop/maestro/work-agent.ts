import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { AGENT_NAMESPACE } from '@orrery/api'
import type { Served } from '../fleet-parts.js'
import { OcmProgram } from '../ocm.js'
import type { AgentsPort } from './servers.js'

/** The configuration file of an agent for its transport. */
export function agentConfig(consumer: string, { transport, address }: AgentsPort): string {
  if (transport === 'grpc') return JSON.stringify({ url: address })
  const topic = (events: string) => `sources/maestro/consumers/${consumer}/${events}`
  const topics = { sourceEvents: topic('sourceevents'), agentEvents: topic('agentevents') }
  return JSON.stringify({ brokerHost: address, topics })
}

/** Starts the work agent of Open Cluster Management, which receives works as CloudEvents. */
export async function startGoWorkAgent(
  t: Pick<TestContext, 'after'>,
  spoke: Pick<Served, 'directory' | 'kubeconfig'>,
  consumer: string,
  { transport, address }: AgentsPort,
): Promise<OcmProgram> {
  const file = join(spoke.directory, `${transport}.yaml`)
  await writeFile(file, agentConfig(consumer, { transport, address }))
  return OcmProgram.start(t, 'work', [
    'agent',
    `--spoke-cluster-name=${consumer}`,
    `--kubeconfig=${spoke.kubeconfig}`,
    `--namespace=${AGENT_NAMESPACE}`,
    `--workload-source-driver=${transport}`,
    `--workload-source-config=${file}`,
    `--cloudevents-client-id=${consumer}-work-agent`,
    '--cloudevents-client-codecs=manifestbundle',
    '--status-sync-interval=3s',
  ])
}
