import { hubCrds } from '@orrery/api'
import type { CustomResourceDefinition, Draft, WebhookClientConfig } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { ensureCrds } from '@orrery/kube/write'
import { HUB_FIELD_MANAGER } from '../field-manager.js'

type Definition = Draft<CustomResourceDefinition>

/** Installs the CRDs of a hub. Resolves when all of them are served. */
export async function installDefinitions(
  client: KubeClient,
  conversion: WebhookClientConfig | undefined,
  options: CallOptions,
): Promise<void> {
  await ensureCrds(client, hubCrds(), {
    ...options,
    fieldManager: HUB_FIELD_MANAGER,
    adapt: (crd, current) => withConversion(crd, conversion ?? current?.spec.conversion?.webhook?.clientConfig),
  })
}

/** Sets the conversion webhook of a CRD. A hub's webhooks set it later, so an existing one is kept by default. */
function withConversion(crd: Definition, clientConfig: WebhookClientConfig | undefined): Definition {
  const { conversion } = crd.spec
  if (conversion?.webhook === undefined || clientConfig === undefined) return crd
  return {
    ...crd,
    spec: { ...crd.spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } },
  }
}
