import { type NewTemplate, organizationNamespace, SYSTEM_NAMESPACE, Template } from '@orrery/ovim'
import { Command, Option } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { eachOf, namespacedName } from '../option-parsers.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { coreCount, readText } from '../vm/parsers.js'

interface CreateOptions extends TargetOptions, OrganizationOptions {
  readonly os: string
  readonly osVersion?: string
  readonly cpu: number
  readonly memory: string
  readonly storage?: string
  readonly containerDisk?: string
  readonly http?: string
  readonly registry?: string
  readonly pvc?: { readonly namespace: string; readonly name: string }
  readonly storageClass?: string
  readonly cloudInit?: string
  readonly network?: readonly string[]
  readonly public?: boolean
}

/** `orrery template create`. */
export function createTemplateCommand(): Command {
  const command = new Command('create')
    .description('Create a template: operating system, size and disk image of new virtual machines.')
    .argument('<template>', 'name of the template')
    .option('--os <type>', 'operating system, such as linux or windows', 'linux')
    .option('--os-version <text>', 'version of the operating system, such as "Ubuntu 24.04"')
    .option('--cpu <cores>', 'number of cores', coreCount, 1)
    .option('--memory <quantity>', 'memory', '1Gi')
    .option('--storage <quantity>', 'size of the disk; required except for container disks')
    .option('--container-disk <image>', 'container disk, such as quay.io/containerdisks/fedora:41')
    .option('--http <url>', 'URL of a disk image that is imported')
    .option('--registry <url>', 'image in a registry that is imported: docker://…')
    .option('--pvc <namespace/name>', 'volume on the cluster that is cloned', namespacedName)
    .option('--storage-class <name>', 'storage class of disks (default: that of the cluster)')
    .option('--cloud-init <file>', 'file with user data for cloud-init, or - for standard input')
    .option('--network <name>', 'further network: a NetworkAttachmentDefinition; can be repeated', eachOf)
    .addOption(new Option('--public', 'for all organizations; requires an administrator').conflicts('org'))
    .addHelpText(
      'after',
      `
Without --storage, the disk of a container disk is lost when the virtual machine stops.

Examples:
  orrery template create fedora --container-disk quay.io/containerdisks/fedora:41 --memory 2Gi --storage 10Gi
  orrery template create ubuntu --http https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img \\
    --os-version "Ubuntu 24.04" --cpu 2 --memory 4Gi --storage 20Gi --public`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(command))
}

async function run(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { containerDisk, http, registry, pvc } = options
  if ([containerDisk, http, registry, pvc].filter((one) => one !== undefined).length !== 1) {
    command.error("error: set exactly one of '--container-disk', '--http', '--registry' and '--pvc'")
  }
  const spec = await specOf(options)
  await withHub(options, async (client) => {
    const organization = options.public === true ? undefined : await organizationOf(client, options)
    const namespace = organization === undefined ? SYSTEM_NAMESPACE : organizationNamespace(organization)
    await client.create(Template, { metadata: { namespace, name }, spec }, { fieldValidation: 'Strict' })
    print(`template ${organization ?? 'public'}/${name} created`)
  })
}

async function specOf(options: CreateOptions): Promise<NewTemplate['spec']> {
  const { os, osVersion, cpu, memory, storage, storageClass, cloudInit, network } = options
  const { containerDisk, http, registry, pvc } = options
  return {
    osType: os,
    ...(osVersion !== undefined && { osVersion }),
    cpu,
    memory,
    ...(storage !== undefined && { storage }),
    image: {
      ...(containerDisk !== undefined && { containerDisk }),
      ...(http !== undefined && { http }),
      ...(registry !== undefined && { registry }),
      ...(pvc !== undefined && { pvc }),
    },
    ...(storageClass !== undefined && { storageClassName: storageClass }),
    ...(cloudInit !== undefined && { cloudInit: await readText(cloudInit) }),
    ...(network !== undefined && { networks: [...network] }),
  }
}
