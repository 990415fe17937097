import { hubCrds } from '@orrery/api'
import { CustomResourceDefinition, type Draft, type WebhookClientConfig } from '@orrery/kinds'
import { type CallOptions, Informers, type KubeClient } from '@orrery/kube'
import { piece } from './piece.js'

type Definition = Draft<CustomResourceDefinition>

/** Installs the definitions of the kinds that a hub serves. Resolves when all of them are served. */
export async function installDefinitions(
  client: KubeClient,
  conversion: WebhookClientConfig | undefined,
  options: CallOptions,
): Promise<void> {
  const crds = hubCrds()
  const definitions = crds.map((crd) =>
    piece(CustomResourceDefinition, crd, (draft, current) =>
      withConversion(draft, conversion ?? current?.spec.conversion?.webhook?.clientConfig),
    ),
  )
  await Promise.all(definitions.map((one) => one.install(client, options)))
  await whenServed(client, new Set(crds.map(({ metadata }) => metadata.name as string)), options)
}

/**
 * Where a real API server has versions of add-ons converted, and goes on to unless told otherwise: the webhooks of the
 * hub have led it there. One that converts by itself does not ask.
 */
function withConversion(crd: Definition, clientConfig: WebhookClientConfig | undefined): Definition {
  const { conversion } = crd.spec
  if (conversion?.webhook === undefined || clientConfig === undefined) return crd
  return {
    ...crd,
    spec: { ...crd.spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } },
  }
}

async function whenServed(client: KubeClient, names: Set<string>, { signal }: CallOptions): Promise<void> {
  const informers = new Informers(client)
  const definitions = informers.of(CustomResourceDefinition)
  try {
    await new Promise<void>((resolve, reject) => {
      definitions.subscribe(({ after }) => {
        if (after !== undefined && isServed(after)) names.delete(after.metadata.name)
        if (names.size === 0) resolve()
      })
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (signal?.aborted === true) reject(signal.reason)
    })
  } finally {
    await informers.close()
  }
}

function isServed({ status }: CustomResourceDefinition): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
}
