import type { KubeClient } from '@orrery/kube'
import { organizationNamespace, SYSTEM_NAMESPACE, Template } from '@orrery/ovim'
import { findTemplate } from '@orrery/ovim/client'
import { Command, Option } from 'commander'
import { ageOf } from '../../shared/age.js'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { optional } from '../vm/describe.js'
import { imageText, sourceOf, templateNotFound } from './texts.js'

interface TemplateOptions extends TargetOptions, OrganizationOptions {
  readonly public?: boolean
}

/** `orrery template describe`. */
export function describeTemplateCommand(): Command {
  const command = new Command('describe')
    .description('Show a template: the one of the organization, else the public one.')
    .argument('<template>', 'name of the template')
    .addOption(new Option('--public', 'the public template').conflicts('org'))
    .addHelpText(
      'after',
      `
Examples:
  orrery template describe cirros`,
    )
    .action(async (name: string, options: TemplateOptions) => {
      await withHub(options, async (client) => {
        const template = await findTemplate(client, await namespaceFor(client, options), name)
        if (template === undefined) throw new Error(templateNotFound(name))
        showDetails(detailsOf(template))
      })
    })
  return addTargetOptions(addOrganizationOption(command))
}

/** `orrery template delete`. */
export function deleteTemplateCommand(): Command {
  const command = new Command('delete')
    .alias('rm')
    .description('Delete a template. Virtual machines that were created from it are kept.')
    .argument('<template>', 'name of the template')
    .addOption(new Option('--public', 'the public template; requires an administrator').conflicts('org'))
    .addHelpText(
      'after',
      `
Examples:
  orrery template delete fedora
  orrery template delete cirros --public`,
    )
    .action(async (name: string, options: TemplateOptions & IgnoreNotFoundOptions) => {
      await withHub(options, async (client) => {
        const ref = { namespace: await namespaceFor(client, options), name }
        const found = await client.find(Template, ref)
        if (found === undefined) return reportNotFound(templateNotFound(name), options)
        await client.ensureDeleted(Template, ref)
        print(`template ${sourceOf(found)}/${name} deleted`)
      })
    })
  return addTargetOptions(addOrganizationOption(addIgnoreNotFoundOption(command)))
}

async function namespaceFor(client: KubeClient, options: TemplateOptions): Promise<string> {
  return options.public === true ? SYSTEM_NAMESPACE : organizationNamespace(await organizationOf(client, options))
}

function detailsOf(template: Template): readonly Detail[] {
  const { metadata, spec } = template
  const { minCpu, minMemory, minStorage, architecture } = spec.requirements ?? {}
  return [
    ['Name', metadata.name],
    ['Of', sourceOf(template)],
    ...optional('Display name', spec.displayName),
    ...optional('Description', spec.description),
    ['Age', ageOf(metadata.creationTimestamp)],
    ['OS', [spec.osType, spec.osVersion].filter((one) => one !== undefined).join(' ')],
    ['Image', imageText(template)],
    ['CPU', `${spec.cpu}${minCpu === undefined ? '' : ` (at least ${minCpu})`}`],
    ['Memory', `${spec.memory}${minMemory === undefined ? '' : ` (at least ${minMemory})`}`],
    [
      'Storage',
      `${spec.storage ?? 'none: the disk is lost when the virtual machine stops'}${minStorage === undefined ? '' : ` (at least ${minStorage})`}`,
    ],
    ...optional('Storage class', spec.storageClassName),
    ...optional('Architecture', architecture),
    ...optional('Networks', spec.networks?.join(', ')),
    ...optional('Cloud-init', spec.cloudInit && `${spec.cloudInit.split('\n').length} lines`),
  ]
}
