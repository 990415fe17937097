import { addOnConverters, hubCrds, spokeCrds } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { CustomResourceDefinition } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'

/** A server in the process that serves the kinds of hubs and managed clusters. */
export interface KindServer {
  readonly client: KubeClient
  /** What the server has warned of so far. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

/** Starts a server that serves all kinds. */
export async function startKindServer(): Promise<KindServer> {
  const server = await startApiServer({ host: false, converters: addOnConverters })
  const warnings: string[] = []
  const client = server.client({ onWarning: (text) => warnings.push(text) })
  for (const crd of [...hubCrds(), ...spokeCrds()]) {
    await client.create(CustomResourceDefinition, crd)
    await eventually(`${crd.metadata.name} is served`, async () => {
      const { status } = await client.get(CustomResourceDefinition, { name: crd.metadata.name as string })
      return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
    })
  }
  return { client, warnings, close: () => server.close() }
}
