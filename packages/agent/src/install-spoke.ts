import { AGENT_NAMESPACE, spokeCrds } from '@orrery/api'
import { CustomResourceDefinition, Namespace } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { ensure, Informers, type KubeClient } from '@orrery/kube'

/**
 * Installs what an agent needs on its cluster: its namespace, and the CustomResourceDefinitions of `spokeCrds`. Resolves when
 * they are served. Writes nothing that is up to date.
 */
export async function installSpoke(client: KubeClient, namespace: string = AGENT_NAMESPACE): Promise<void> {
  const isThere = (await client.find(Namespace, { name: namespace })) !== undefined
  if (!isThere) await client.apply(Namespace, { metadata: { name: namespace } })
  const crds = spokeCrds()
  const names = crds.map(({ metadata }) => metadata.name as string)
  const found = await Promise.all(names.map((name) => client.find(CustomResourceDefinition, { name })))
  await Promise.all(
    crds.map((crd, at) => ensure(client, CustomResourceDefinition, crd, found[at], { fieldManager: 'orrery-spoke' })),
  )
  if (!found.every((crd) => crd !== undefined && isServed(crd))) await whenServed(client, new Set(names))
}

async function whenServed(client: KubeClient, names: Set<string>): Promise<void> {
  const informers = new Informers(client)
  try {
    await new Promise<void>((resolve) => {
      informers.of(CustomResourceDefinition).subscribe(({ after }) => {
        if (after !== undefined && isServed(after)) names.delete(after.metadata.name)
        if (names.size === 0) resolve()
      })
    })
  } finally {
    await informers.close()
  }
}

function isServed({ status }: CustomResourceDefinition): boolean {
  return isConditionTrue(status?.conditions, 'Established')
}
