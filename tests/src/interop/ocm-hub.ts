import type { TestContext } from 'node:test'
import { ADDON_GROUP } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER, installHub } from '@orrery/hub'
import { CustomResourceDefinition } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import type { Served } from './fleet-parts.js'
import { OcmProgram } from './ocm.js'

/** A hub on which only controllers of Open Cluster Management run. */
export interface OcmHub {
  readonly programs: readonly OcmProgram[]
  readonly bootstrapToken: string
}

/** Starts the controllers of Open Cluster Management on a server. They accept clusters with the bootstrap token. */
export async function startOcmHub(t: Pick<TestContext, 'after'>, hub: Served): Promise<OcmHub> {
  const { bootstrapToken = '' } = await installHub(hub.client, { bootstrapToken: true })
  const common = [`--kubeconfig=${hub.kubeconfig}`, '--namespace=open-cluster-management-hub']
  const programs = [
    await OcmProgram.start(t, 'registration', [
      'controller',
      ...common,
      '--feature-gates=ManagedClusterAutoApproval=true',
      `--auto-approved-csr-users=${BOOTSTRAP_TOKEN_USER}`,
    ]),
    await OcmProgram.start(t, 'work', ['manager', ...common]),
    await OcmProgram.start(t, 'placement', ['controller', ...common]),
    await OcmProgram.start(t, 'addon', ['manager', ...common]),
  ]
  return { programs, bootstrapToken }
}

/** Makes a hub serve add-ons in v1alpha1 only, as older ones of Open Cluster Management do. */
export async function serveOnlyV1Alpha1(client: KubeClient): Promise<void> {
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
