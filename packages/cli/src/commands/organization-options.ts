import type { KubeClient } from '@orrery/kube'
import { chooseOrganization } from '@orrery/ovim/client'
import { type Command, Option } from 'commander'
import { type TargetOptions, targetOf } from '../shared/target.js'

export interface OrganizationOptions {
  readonly org?: string
}

export interface OrganizationsOptions extends OrganizationOptions {
  readonly allOrgs?: boolean
}

/** `--org`, for commands about objects of one organization. */
export function addOrganizationOption(command: Command): Command {
  return command.option('--org <name>', "organization (default: that of the context's namespace, else your only one)")
}

/** `--org` and `-A`, for commands that list objects. */
export function addOrganizationsOptions(command: Command): Command {
  const all = new Option('-A, --all-orgs', 'show objects of all organizations').conflicts('org')
  return addOrganizationOption(command).addOption(all)
}

/** The selected organization. */
export async function organizationOf(
  client: KubeClient,
  { org, ...target }: OrganizationOptions & TargetOptions,
): Promise<string> {
  const namespace = org === undefined ? (await targetOf(target).source.read()).namespace : undefined
  return chooseOrganization(client, { name: org, namespace })
}

/** The selected organization; undefined for all. */
export async function organizationsOf(
  client: KubeClient,
  options: OrganizationsOptions & TargetOptions,
): Promise<string | undefined> {
  return options.allOrgs === true ? undefined : organizationOf(client, options)
}
