import type { Informer } from '@orrery/kube'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import type { Template } from '../../kinds/template.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import type { TemplateRecord } from '../../wire/template.js'
import { templateRecord } from './template-record.js'

/** The templates that the agent of a zone may know: public ones, and those of the organizations with a virtual data center there. */
export class ZoneTemplates {
  readonly #templates: Informer<Template>
  readonly #vdcs: Informer<VirtualDataCenter>

  constructor(templates: Informer<Template>, vdcs: Informer<VirtualDataCenter>) {
    this.#templates = templates
    this.#vdcs = vdcs
  }

  of(zone: string): TemplateRecord[] {
    const inZone = this.#vdcs.list().filter(({ status }) => status?.zone === zone)
    const namespaces = new Set([SYSTEM_NAMESPACE, ...inZone.map(({ metadata }) => metadata.namespace)])
    return this.#templates
      .list()
      .filter(({ metadata }) => namespaces.has(metadata.namespace))
      .map(templateRecord)
  }
}
