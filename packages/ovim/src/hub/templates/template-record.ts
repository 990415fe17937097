import type { Template } from '../../kinds/template.js'
import { present } from '../../wire/fields.js'
import type { TemplateRecord } from '../../wire/template.js'

/** A template as agents get it. */
export function templateRecord({ metadata, spec }: Template): TemplateRecord {
  const { image, kernelBoot, requirements: needs, storageClassName } = spec
  const requirements = {
    ...(needs?.minCpu !== undefined && { min_cpu: String(needs.minCpu) }),
    ...(needs?.minMemory !== undefined && { min_memory: String(needs.minMemory) }),
    ...(needs?.minStorage !== undefined && { min_storage: String(needs.minStorage) }),
    ...(needs?.architecture !== undefined && { architecture: needs.architecture }),
    ...(storageClassName !== undefined && { storage_class: storageClassName }),
  }
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    ...(spec.displayName !== undefined && { display_name: spec.displayName }),
    ...(spec.description !== undefined && { description: spec.description }),
    os_type: spec.osType,
    ...(spec.osVersion !== undefined && { os_version: spec.osVersion }),
    cpu: String(spec.cpu),
    memory: String(spec.memory),
    ...(spec.storage !== undefined && { storage: String(spec.storage) }),
    image: {
      ...(image.containerDisk !== undefined && { container_disk: image.containerDisk }),
      ...(image.http !== undefined && { http: image.http }),
      ...(image.registry !== undefined && { registry: image.registry }),
      ...(image.pvc !== undefined && { pvc: image.pvc }),
    },
    ...(kernelBoot !== undefined && {
      kernel_boot: present({
        image: kernelBoot.image,
        kernel_path: kernelBoot.kernelPath,
        initrd_path: kernelBoot.initrdPath,
        kernel_args: kernelBoot.args,
      }),
    }),
    ...(spec.cloudInit !== undefined && { cloud_init: { user_data: spec.cloudInit } }),
    ...(spec.networks !== undefined && {
      networks: spec.networks.map((network, index) => ({ name: `net${index + 1}`, network_name: network })),
    }),
    ...(Object.keys(requirements).length > 0 && { requirements }),
  }
}
