import { fieldRequired, isDNS1123Label, isDNS1123Subdomain } from '@orrery/kinds/values'
import { type Fields, present, readMessage } from './fields.js'
import { cloudInit, readTemplate, type TemplateCloudInit, type TemplateRecord } from './template.js'

/** The payload of VMCreate. */
export interface VmCreateRequest {
  readonly name: string
  readonly namespace: string
  /** A template that the agent has. Not needed with `template`. */
  readonly template_name: string
  /** The template itself, so that the agent need not have it. */
  readonly template?: TemplateRecord
  /** Absent: the template's. */
  readonly cpu?: string
  readonly memory?: string
  readonly storage?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** A NetworkAttachmentDefinition instead of the template's networks. */
  readonly network_name?: string
  /** Default `Running`. */
  readonly power_state?: PowerState
  /** Public keys for the default user. */
  readonly ssh_keys?: readonly string[]
  /** Replaces the template's cloud-init. */
  readonly cloud_init?: TemplateCloudInit
}

export const POWER_STATES = ['Running', 'Stopped', 'Paused'] as const

export type PowerState = (typeof POWER_STATES)[number]

/** The payload of the other operations on a machine. */
export interface VmTarget {
  readonly name: string
  readonly namespace: string
  /** The uid of the VirtualMachine. With it, the operation fails if the machine was replaced by another of this name. */
  readonly uid?: string
  /** VMStop, VMRestart and VMDelete: seconds until the machine is switched off. VMRestart accepts only 0. */
  readonly grace_period_seconds?: number
}

/** The payload of VMUpdate. What is absent stays as it is. */
export interface VmUpdateRequest extends VmTarget {
  readonly cpu?: string
  readonly memory?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export function readVmCreate(value: unknown): VmCreateRequest {
  return readMessage('the payload of VMCreate', value, vmCreate, 'payload')
}

function vmCreate(fields: Fields): VmCreateRequest {
  const named = typeof fields.value('template') === 'string' ? fields.text('template') : undefined
  const embedded = named === undefined ? fields.object('template') : undefined
  const template = embedded && readTemplate(embedded)
  const templateName = fields.text('template_name') ?? named ?? template?.name ?? ''
  if (templateName === '') fields.errors.push(fieldRequired(fields.at('template_name'), 'or give the template itself'))
  return present({
    ...target(fields),
    template_name: templateName,
    template,
    cpu: fields.quantity('cpu'),
    memory: fields.quantity('memory', 'Gi'),
    storage: fields.quantity(fields.first('storage', 'disk_size'), 'Gi'),
    labels: fields.texts('labels'),
    annotations: fields.texts('annotations'),
    network_name: fields.text('network_name') || undefined,
    power_state: fields.choice('power_state', POWER_STATES),
    ssh_keys: fields.textList('ssh_keys'),
    cloud_init: cloudInit(fields.object('cloud_init')),
  })
}

export function readVmTarget(type: string, value: unknown): VmTarget {
  return readMessage(`the payload of ${type}`, value, vmTarget, 'payload')
}

function vmTarget(fields: Fields): VmTarget {
  return present({
    ...target(fields),
    uid: fields.text('uid'),
    grace_period_seconds: fields.count('grace_period_seconds'),
  })
}

export function readVmUpdate(value: unknown): VmUpdateRequest {
  return readMessage(
    'the payload of VMUpdate',
    value,
    (fields) =>
      present({
        ...vmTarget(fields),
        cpu: fields.quantity('cpu'),
        memory: fields.quantity('memory', 'Gi'),
        labels: fields.texts('labels'),
        annotations: fields.texts('annotations'),
      }),
    'payload',
  )
}

function target(fields: Fields): { name: string; namespace: string } {
  return {
    name: fields.requiredName('name', machineNameProblems),
    namespace: fields.requiredName('namespace', isDNS1123Label),
  }
}

/** The name of a machine is the value of a label too. */
function machineNameProblems(name: string): readonly string[] {
  return name.length > 63 ? ['must have at most 63 characters'] : isDNS1123Subdomain(name)
}
