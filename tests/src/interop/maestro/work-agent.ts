import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { AGENT_NAMESPACE } from '@orrery/api'
import type { Served } from '../fleet-parts.js'
import { OcmProgram } from '../ocm.js'
import type { AgentsPort } from './servers.js'

/** Starts the work agent of Open Cluster Management, which receives works as CloudEvents. */
export async function startGoWorkAgent(
  t: Pick<TestContext, 'after'>,
  spoke: Served,
  consumer: string,
  { transport, address }: AgentsPort,
): Promise<OcmProgram> {
  const file = join(spoke.directory, `${transport}.yaml`)
  const topic = (events: string) => `sources/maestro/consumers/${consumer}/${events}`
  const config =
    transport === 'grpc'
      ? { url: address }
      : { brokerHost: address, topics: { sourceEvents: topic('sourceevents'), agentEvents: topic('agentevents') } }
  await writeFile(file, JSON.stringify(config))
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
