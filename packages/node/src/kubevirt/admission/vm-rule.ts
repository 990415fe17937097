import { forbidden } from '@orrery/kinds/values'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import { RUN_STRATEGIES } from '../vm/run-strategy.js'
import { Causes } from './causes.js'
import { checkDataVolumeSpec } from './data-volume-rule.js'
import { withInstanceDefaults, withMachineDefaults } from './defaults.js'
import type { KubevirtRequest, MayClone } from './request.js'
import { checkInstanceSpec } from './spec-checks.js'

const WEBHOOK = 'virtualmachine-validator.kubevirt.io'

/** Sets the defaults of a new VirtualMachine. An object with another shape is refused later. */
export function defaultVm(request: KubevirtRequest): void {
  if (request.operation !== 'CREATE' || request.object === undefined) return
  if (VirtualMachine.validate(request.object).length > 0) return
  const spec = withMachineDefaults((request.object as unknown as VirtualMachine).spec)
  request.object = { ...request.object, spec }
}

/** Checks a VirtualMachine. */
export async function checkVm(request: KubevirtRequest, mayClone: MayClone): Promise<void> {
  const vm = request.object as unknown as VirtualMachine
  if (vm.metadata.deletionTimestamp !== undefined) return
  const causes = new Causes()
  checkRunStrategy(vm, causes)
  for (const field of ['instancetype', 'preference'] as const) {
    if (vm.spec[field] === undefined) continue
    causes.invalid(
      `spec.${field}`,
      `spec.${field} is not supported by this cluster: set the CPU and memory in spec.template.spec.domain`,
    )
  }
  checkInstanceSpec(networked(vm), 'spec.template.spec', causes)
  checkTemplates(vm, causes)
  causes.refuse(WEBHOOK)
  for (const { spec } of vm.spec.dataVolumeTemplates ?? []) {
    const namespace = spec.source?.pvc?.namespace ?? request.namespace
    if (namespace === request.namespace || (await mayClone(request.identity, namespace))) continue
    const why = `user ${JSON.stringify(request.identity.username)} cannot clone claims of namespace ${JSON.stringify(namespace)}`
    throw forbidden({ group: 'kubevirt.io', resource: 'virtualmachines' }, vm.metadata.name, why)
  }
  if (vm.spec.running !== undefined) request.warn('spec.running is deprecated, please use spec.runStrategy instead.')
}

/** The template may leave out what instances get by default: the pod network. */
function networked({ spec }: VirtualMachine) {
  return withInstanceDefaults(spec.template.spec)
}

function checkRunStrategy({ spec: { running, runStrategy } }: VirtualMachine, causes: Causes): void {
  if (running !== undefined && runStrategy !== undefined) {
    causes.invalid(
      'spec.running',
      'spec.running and spec.runStrategy are mutually exclusive: remove spec.running, which is deprecated',
    )
  }
  if (running === undefined && runStrategy === undefined) {
    causes.invalid('spec.running', `spec.runStrategy must be one of ${RUN_STRATEGIES.join(', ')}`)
  }
  if (runStrategy !== undefined && !RUN_STRATEGIES.some((known) => known === runStrategy)) {
    causes.invalid(
      'spec.runStrategy',
      `spec.runStrategy ${JSON.stringify(runStrategy)} is not supported: use ${RUN_STRATEGIES.join(', ')}`,
    )
  }
}

function checkTemplates({ spec }: VirtualMachine, causes: Causes): void {
  const volumes = spec.template.spec.volumes ?? []
  for (const [index, { metadata, spec: dataVolume }] of (spec.dataVolumeTemplates ?? []).entries()) {
    const field = `spec.dataVolumeTemplates[${index}]`
    const name = metadata?.name ?? ''
    if (name === '') causes.required(`${field}.metadata.name`, `${field}.metadata.name is required`)
    const isUsed = volumes.some(
      (volume) => volume.dataVolume?.name === name || volume.persistentVolumeClaim?.claimName === name,
    )
    if (name !== '' && !isUsed) {
      causes.invalid(field, `${field} ${JSON.stringify(name)} is not used by a volume in spec.template.spec.volumes`)
    }
    checkDataVolumeSpec(dataVolume, `${field}.spec`, causes)
  }
}
