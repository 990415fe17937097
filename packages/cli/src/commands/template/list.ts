import type { KubeClient } from '@orrery/kube'
import { organizationNamespace, organizationOf, SYSTEM_NAMESPACE, Template } from '@orrery/ovim'
import { Command, Option } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from '../get/named-only.js'
import { addOrganizationsOptions, type OrganizationsOptions, organizationsOf } from '../organization-options.js'
import { imageText, sourceOf, templateNotFound } from './texts.js'

interface ListOptions extends TargetOptions, OutputOptions, OrganizationsOptions {
  readonly public?: boolean
}

/** `orrery template list`. */
export function listTemplatesCommand(): Command {
  const command = new Command('list')
    .alias('ls')
    .description(
      'List the templates that virtual machines can be created from: public ones and those of the organization.',
    )
    .argument('[template...]', 'names of templates (default: all)')
    .addOption(new Option('--public', 'only public templates').conflicts(['org', 'allOrgs']))
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery template list
  orrery template list --public -o wide`,
    )
    .action(run)
  return addTargetOptions(addOrganizationsOptions(command))
}

const COLUMNS: readonly Column<Template>[] = [
  { title: 'name', value: ({ metadata }) => metadata.name },
  { title: 'of', value: sourceOf },
  { title: 'os', value: ({ spec }) => [spec.osType, spec.osVersion].filter((one) => one !== undefined).join(' ') },
  { title: 'cpu', value: ({ spec }) => spec.cpu },
  { title: 'memory', value: ({ spec }) => spec.memory },
  { title: 'storage', value: ({ spec }) => spec.storage },
  { title: 'age', value: ({ metadata }) => ageOf(metadata.creationTimestamp) },
  { title: 'image', value: imageText, wide: true },
]

async function run(names: readonly string[], options: ListOptions): Promise<void> {
  await withHub(options, async (client) => {
    const all = (await templatesOf(client, options)).map((template) => ({ template, name: template.metadata.name }))
    const rows = namedOnly(all, names, (...unknown) => templateNotFound(...unknown)).map(({ template }) => template)
    await show(options.output, {
      rows,
      columns: COLUMNS,
      document: listOf(rows),
      empty: 'No templates found. Run `orrery template create` to create one.',
    })
  })
}

async function templatesOf(client: KubeClient, options: ListOptions): Promise<Template[]> {
  const organization = options.public === true ? undefined : await organizationsOf(client, options)
  if (options.allOrgs === true) return (await client.list(Template)).items.sort(byOwner)
  const namespaces = [...(organization === undefined ? [] : [organizationNamespace(organization)]), SYSTEM_NAMESPACE]
  const lists = await Promise.all(namespaces.map((namespace) => client.list(Template, { namespace })))
  return lists.flatMap(({ items }) => items.sort(byOwner))
}

function byOwner(a: Template, b: Template): number {
  const key = ({ metadata }: Template) => `${organizationOf(metadata.namespace) ?? ''}/${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}
