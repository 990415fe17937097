import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { SYSTEM_NAMESPACE } from '../kinds/names.js'
import { Template } from '../kinds/template.js'
import { VirtualDataCenter } from '../kinds/virtual-data-center.js'
import { type NewVirtualMachineRequest, VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../wire/vdc-payloads.js'
import { findTemplate } from './machines.js'

/** A virtual machine to create. */
export interface MachineDraft {
  readonly organization: string
  readonly name: string
  readonly spec: NewVirtualMachineRequest['spec']
}

/** The request of a draft. Throws if its template or its virtual data center does not exist. */
export async function prepareMachine(client: KubeClient, draft: MachineDraft): Promise<NewVirtualMachineRequest> {
  const { organization, name } = draft
  const namespace = organizationNamespace(organization)
  const [template, vdc] = await Promise.all([
    findTemplate(client, namespace, draft.spec.template),
    draft.spec.placementRef === undefined ? chooseVdc(client, organization, draft.spec.vdc) : undefined,
  ])
  if (template === undefined) throw new Error(await templateProblem(client, namespace, draft.spec.template))
  const spec = { ...draft.spec, ...(vdc !== undefined && { vdc }) }
  return { metadata: { namespace, name }, spec }
}

/** Creates a virtual machine. With `dryRun`, the hub only checks it. */
export async function createMachine(
  client: KubeClient,
  request: NewVirtualMachineRequest,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<VirtualMachineRequest> {
  try {
    return await client.create(VirtualMachineRequest, request, { fieldValidation: 'Strict', dryRun })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { name } = request.metadata
    throw new Error(
      `virtual machine ${name} already exists: choose another name, or delete it with \`orrery vm delete ${name}\``,
      {
        cause: error,
      },
    )
  }
}

async function templateProblem(client: KubeClient, namespace: string, name: string): Promise<string> {
  const lists = await Promise.all([namespace, SYSTEM_NAMESPACE].map((one) => client.list(Template, { namespace: one })))
  const names = [...new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)))].sort()
  const choices =
    names.length === 0 ? 'there are none: create one with `orrery template create`' : `use ${names.join(', ')}`
  return `template ${JSON.stringify(name)} not found: ${choices}`
}

/** The virtual data center of a name, or the only one of the organization. */
async function chooseVdc(client: KubeClient, organization: string, name: string | undefined): Promise<string> {
  const { items } = await client.list(VirtualDataCenter, { namespace: organizationNamespace(organization) })
  const names = items.map(({ metadata }) => metadata.name).sort()
  if (name !== undefined && names.includes(name)) return name
  const [only, ...others] = names
  if (only === undefined) {
    throw new Error(`organization ${organization} has no virtual data center: create one with \`orrery vdc create\``)
  }
  if (name !== undefined)
    throw new Error(`virtual data center ${JSON.stringify(name)} not found: use ${names.join(', ')}`)
  if (others.length > 0)
    throw new Error(`several virtual data centers found: select one with --vdc: ${names.join(', ')}`)
  return only
}
