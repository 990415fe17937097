import type { ApiObject, Draft, OwnerReference, Pod, PodTemplateSpec } from '@orrery/kinds'

/** A pod as a template says, owned by whoever makes it; the server finds its name. */
export function podFrom(template: PodTemplateSpec, owner: ApiObject, reference: OwnerReference): Draft<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      generateName: `${owner.metadata.name}-`,
      ...(labels !== undefined && { labels: { ...labels } }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      ...(finalizers !== undefined && { finalizers: [...finalizers] }),
      ownerReferences: [reference],
    },
    spec: template.spec,
  }
}
