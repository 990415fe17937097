import type { TestContext } from 'node:test'
import { ADDON_GROUP } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER, EMBEDDED_HUB_FEATURES, hubAdmission, installHub, startHub } from '@orrery/hub'
import { CustomResourceDefinition } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import type { Programs } from '@orrery/node'
import { afterwards } from '../support/server.js'
import { type Served, serveCluster } from './fleet-parts.js'
import { OcmProgram } from './ocm.js'

/** A hub that accepts clusters with its bootstrap token, on a cluster that runs programs for images. */
export interface HubOfTest extends Served {
  readonly bootstrapToken: string
  readonly programs: readonly OcmProgram[]
}

export type StartHub = (t: Pick<TestContext, 'after'>, programs?: Programs) => Promise<HubOfTest>

/** A hub of Orrery. */
export const startOrreryHub: StartHub = async (t, programs = {}) => {
  const admission = hubAdmission()
  const served = await serveCluster(t, 'hub', programs, { admission: admission.plugins })
  const { client } = served
  admission.useClient(client)
  const { bootstrapToken = '' } = await installHub(client, { bootstrapToken: true })
  const controllers = await startHub({
    client,
    features: { ...EMBEDDED_HUB_FEATURES, ManagedClusterAutoApproval: true },
    options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
  })
  afterwards(t, () => controllers.close())
  return { ...served, bootstrapToken, programs: [] }
}

/** A hub with all controllers of Open Cluster Management, and none of Orrery. */
export const startOcmHub: StartHub = (t, programs) => ocmHub(t, programs)

/** Such a hub that serves add-ons in v1alpha1 only, as older ones do. */
export const startOldOcmHub: StartHub = (t, programs) => ocmHub(t, programs, serveOnlyV1Alpha1)

async function ocmHub(
  t: Pick<TestContext, 'after'>,
  programs: Programs = {},
  prepare: (client: KubeClient) => Promise<void> = async () => undefined,
): Promise<HubOfTest> {
  const served = await serveCluster(t, 'hub', programs)
  const { bootstrapToken = '' } = await installHub(served.client, { bootstrapToken: true })
  await prepare(served.client)
  const common = [`--kubeconfig=${served.kubeconfig}`, '--namespace=open-cluster-management-hub']
  const approval = [
    '--feature-gates=ManagedClusterAutoApproval=true',
    `--auto-approved-csr-users=${BOOTSTRAP_TOKEN_USER}`,
  ]
  const controllers = [
    await OcmProgram.start(t, 'registration', ['controller', ...common, ...approval]),
    await OcmProgram.start(t, 'work', ['manager', ...common]),
    await OcmProgram.start(t, 'placement', ['controller', ...common]),
    await OcmProgram.start(t, 'addon', ['manager', ...common]),
  ]
  return { ...served, bootstrapToken, programs: controllers }
}

async function serveOnlyV1Alpha1(client: KubeClient): Promise<void> {
  const { items } = await client.list(CustomResourceDefinition)
  for (const { metadata, spec } of items.filter((crd) => crd.spec.group === ADDON_GROUP)) {
    const versions = spec.versions.map((version) => ({ ...version, served: version.name === 'v1alpha1' }))
    await client.patch(CustomResourceDefinition, { name: metadata.name }, { spec: { versions } })
  }
  await eventually('v1beta1 is not served', async () => {
    const { versions } = await client.getJson<{ versions: { version: string }[] }>(`/apis/${ADDON_GROUP}`)
    return versions.map(({ version }) => version).join() === 'v1alpha1'
  })
}
