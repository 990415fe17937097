import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bootstrapKubeconfig } from '@orrery/agent'
import { AGENT_NAMESPACE } from '@orrery/api'
import type { Served } from './fleet-parts.js'
import { OcmProgram } from './ocm.js'

/** The agents of Open Cluster Management for a cluster. */
export interface OcmAgents {
  startRegistration(more?: readonly string[]): Promise<OcmProgram>
  startWork(): Promise<OcmProgram>
  /** Deletes the files with the identity on the hub. */
  forgetIdentity(): Promise<void>
}

/** With a hosting cluster, the registration agent is in hosted mode. */
export async function ocmAgents(
  t: Pick<TestContext, 'after'>,
  hub: Served,
  token: string,
  spoke: Served,
  cluster: string,
  hosting?: Served,
): Promise<OcmAgents> {
  const identity = join(spoke.directory, 'hub-kubeconfig')
  await mkdir(identity)
  const bootstrap = join(spoke.directory, 'bootstrap')
  const { url: server, certificateAuthority: ca } = hub.server
  await writeFile(bootstrap, await bootstrapKubeconfig({ server, ca, token }))
  const common = [
    `--spoke-cluster-name=${cluster}`,
    `--hub-kubeconfig-dir=${identity}`,
    `--namespace=${AGENT_NAMESPACE}`,
  ]
  const beside = [`--kubeconfig=${spoke.kubeconfig}`]
  // In hosted mode, its own Secret is on the hosting cluster, beside that of the agent of this cluster.
  const apart =
    hosting === undefined
      ? beside
      : [
          `--kubeconfig=${hosting.kubeconfig}`,
          `--spoke-kubeconfig=${spoke.kubeconfig}`,
          `--hub-kubeconfig-secret=hub-kubeconfig-secret-${cluster}`,
        ]
  return {
    startRegistration: (more = []) =>
      OcmProgram.start(t, 'registration', [
        'agent',
        ...common,
        ...apart,
        `--bootstrap-kubeconfig=${bootstrap}`,
        '--cluster-healthcheck-period=5s',
        ...more,
      ]),
    startWork: () =>
      OcmProgram.start(t, 'work', [
        'agent',
        ...common,
        ...beside,
        `--workload-source-config=${join(identity, 'kubeconfig')}`,
        '--status-sync-interval=5s',
      ]),
    async forgetIdentity() {
      await rm(identity, { recursive: true })
      await mkdir(identity)
    },
  }
}
