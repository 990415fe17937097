import { spokeCrds } from '@orrery/api'
import { applyIfChanged, Informers, isConditionTrue, type KubeClient } from '@orrery/kube'
import { CustomResourceDefinition } from '@orrery/kube/kinds'

/** Prepares an API server to be managed: the kinds that agents keep on it. Resolves when they are served. */
export async function installSpoke(client: KubeClient): Promise<void> {
  const crds = spokeCrds()
  const names = crds.map(({ metadata }) => metadata.name as string)
  const found = await Promise.all(names.map((name) => client.find(CustomResourceDefinition, { name })))
  await Promise.all(
    crds.map((crd, at) =>
      applyIfChanged(client, CustomResourceDefinition, crd, found[at], { fieldManager: 'orrery-spoke', force: true }),
    ),
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
