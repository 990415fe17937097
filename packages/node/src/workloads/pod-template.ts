import type { ApiObject, Draft, OwnerReference, Pod, PodTemplateSpec } from '@orrery/kinds'

/** Returns a pod from a template, with a generated name and its controller as owner. */
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
