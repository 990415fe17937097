import { organizationOf } from '../kinds/names.js'
import type { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'

/** What to do about a request that the hub refuses, by the reason of its condition Scheduled. */
export function adviceOnRefusal(reason: string, request: VirtualMachineRequest): string | undefined {
  const { metadata, spec, status } = request
  const { name, namespace } = metadata
  const organization = organizationOf(namespace) ?? namespace
  const vdc = spec.vdc ?? status?.vdc ?? 'VDC'
  const again = `delete it with \`orrery vm delete ${name}\` and create it again`
  switch (reason) {
    case 'OrganizationDisabled':
      return `Ask an administrator to run \`orrery org enable ${organization}\`.`
    case 'TemplateNotFound':
    case 'TemplateNotAllowed':
      return `Choose another template from \`orrery template list\`: ${again}.`
    case 'TooSmall':
      return `Use --cpu, --memory and --storage: ${again}.`
    case 'VirtualDataCenterNotFound':
    case 'VirtualDataCenterDeleting':
      return `Choose another from \`orrery vdc list\`: ${again}.`
    case 'QuotaExceeded':
      return `Delete other virtual machines of the virtual data center, or raise its quota with \`orrery vdc update ${vdc}\`: it then continues by itself.`
    case 'NotPlaced':
      return spec.placementRef === undefined
        ? undefined
        : `Run \`orrery explain placement ${spec.placementRef.name} -n ${spec.placementRef.namespace ?? namespace}\` to see why.`
    default:
      return undefined
  }
}

/** What to do about a failed operation, by its error. */
export function adviceOnFailure(message: string, { metadata, spec, status }: VirtualMachineRequest): string {
  if (/exceeded quota/i.test(message)) {
    return `Delete other virtual machines, or raise the quota with \`orrery vdc update ${status?.vdc ?? spec.vdc ?? 'VDC'}\`: the hub repeats the operation.`
  }
  return `Fix the reason: the hub repeats the operation. Or delete it with \`orrery vm delete ${metadata.name}\`.`
}

/** What the statuses mean with which KubeVirt reports a machine that does not run. */
export function printableProblem({
  metadata,
  spec,
  status,
}: VirtualMachineRequest): { text: string; advice: string } | undefined {
  const { name } = metadata
  const template = `\`orrery template describe ${spec.template}\``
  switch (status?.printableStatus) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
      return {
        text: 'the cluster cannot pull its disk image',
        advice: `Check the image with ${template}, and the registry. KubeVirt tries again by itself.`,
      }
    case 'ErrorUnschedulable':
      return {
        text: 'no node of the cluster has room for it',
        advice: 'Stop other virtual machines of the cluster, or create a smaller one.',
      }
    case 'ErrorPvcNotFound':
      return { text: 'its volume does not exist on the cluster', advice: `Check the volume with ${template}.` }
    case 'DataVolumeError':
      return { text: 'its disk cannot be imported', advice: `Check the image and the storage class with ${template}.` }
    case 'CrashLoopBackOff':
      return {
        text: 'it stops soon after each start',
        advice: `Read its console with the command that \`orrery vm console ${name}\` prints.`,
      }
    case 'Unknown':
      return { text: 'its node does not report', advice: 'Ask an administrator of the cluster to check the node.' }
    default:
      return undefined
  }
}
