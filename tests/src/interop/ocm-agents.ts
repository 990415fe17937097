import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bootstrapKubeconfig } from '@orrery/agent'
import { AGENT_NAMESPACE } from '@orrery/api'
import type { Served } from './fleet-parts.js'
import { OcmProgram } from './ocm.js'

/** The agents of Open Cluster Management for a cluster. */
export interface OcmAgents {
  startRegistration(): Promise<OcmProgram>
  startWork(): Promise<OcmProgram>
  /** Deletes the files with the identity on the hub. */
  forgetIdentity(): Promise<void>
}

export async function ocmAgents(
  t: Pick<TestContext, 'after'>,
  hub: Served,
  token: string,
  spoke: Served,
  cluster: string,
): Promise<OcmAgents> {
  const identity = join(spoke.directory, 'hub-kubeconfig')
  await mkdir(identity)
  const bootstrap = join(spoke.directory, 'bootstrap')
  const { url: server, certificateAuthority: ca } = hub.server
  await writeFile(bootstrap, await bootstrapKubeconfig({ server, ca, token }))
  const common = [
    `--spoke-cluster-name=${cluster}`,
    `--hub-kubeconfig-dir=${identity}`,
    `--kubeconfig=${spoke.kubeconfig}`,
    `--namespace=${AGENT_NAMESPACE}`,
  ]
  return {
    startRegistration: () =>
      OcmProgram.start(t, 'registration', [
        'agent',
        ...common,
        `--bootstrap-kubeconfig=${bootstrap}`,
        '--cluster-healthcheck-period=5s',
      ]),
    startWork: () =>
      OcmProgram.start(t, 'work', [
        'agent',
        ...common,
        `--workload-source-config=${join(identity, 'kubeconfig')}`,
        '--status-sync-interval=5s',
      ]),
    async forgetIdentity() {
      await rm(identity, { recursive: true })
      await mkdir(identity)
    },
  }
}
