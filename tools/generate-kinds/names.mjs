// How the types of the tables are called in TypeScript, where that is not simply their name.

/** Types that two tables call the same and that are not the same, and some whose names say too little. */
export const renamed = {
  'admission.Operation': 'AdmissionOperation',
  'admission.PatchType': 'AdmissionPatchType',
  'apiregistration.ServiceReference': 'APIServiceReference',
  'autoscalingv1.HorizontalPodAutoscaler': 'HorizontalPodAutoscalerV1',
  'autoscalingv1.HorizontalPodAutoscalerSpec': 'HorizontalPodAutoscalerV1Spec',
  'autoscalingv1.HorizontalPodAutoscalerStatus': 'HorizontalPodAutoscalerV1Status',
  'core.EndpointPort': 'CoreEndpointPort',
  'core.Event': 'CoreEvent',
  'core.EventSeries': 'CoreEventSeries',
  'core.ResourceClaim': 'ContainerResourceClaim',
  'flowcontrol.Subject': 'FlowSubject',
  'storage.TokenRequest': 'CSITokenRequest',
}

/** Types that two tables declare alike: one of them is enough. */
export const same = {
  'apiextensions.ConditionStatus': 'meta.ConditionStatus',
  'apiextensions.ServiceReference': 'admissionregistration.ServiceReference',
  'apiextensions.WebhookClientConfig': 'admissionregistration.WebhookClientConfig',
  'apiregistration.ConditionStatus': 'meta.ConditionStatus',
  'autoscalingv1.CrossVersionObjectReference': 'autoscaling.CrossVersionObjectReference',
  'core.ConditionStatus': 'meta.ConditionStatus',
  'flowcontrol.ConditionStatus': 'meta.ConditionStatus',
}

/** Types that are there already: where, what to import, and how to write it. */
export const existing = {
  'meta.GroupVersionKind': { from: '../object.js', name: 'GroupVersionKind' },
  'meta.ObjectMeta': { from: '../object.js', name: 'ObjectMeta' },
  // Whoever answers a webhook says why and no more.
  'meta.Status': { from: '../status.js', name: 'Status', as: 'Partial<Status>' },
}

/** Kinds that are not resources: what subresources take and give, and what webhooks are asked. */
export const bodies = {
  'admission.AdmissionReview': 'none',
  'apiextensions.ConversionReview': 'none',
  'authentication.TokenRequest': 'Namespaced',
  'autoscalingv1.Scale': 'Namespaced',
  'policy.Eviction': 'Namespaced',
}

/** Tables of what no OpenAPI document describes: what is always there follows from Go alone. */
export const undocumented = new Set(['admission'])

/** The tables' words for types that they do not declare: the alias to import, or the type itself. */
export const scalars = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'number' },
  int64: { type: 'number' },
  float64: { type: 'number' },
  uid: { type: 'string' },
  any: { type: 'unknown' },
  json: { type: 'unknown' },
  raw: { type: 'object' },
  fieldsV1: { type: 'object' },
  '[]byte': { type: 'Base64String', imported: true },
  time: { type: 'TimeString', imported: true },
  microTime: { type: 'MicroTimeString', imported: true },
  quantity: { type: 'QuantityString', imported: true },
  intOrString: { type: 'IntOrString', imported: true },
}

/** The choices that a JSON Schema has here and there. */
export const choices = {
  schemaOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  schemaOrBool: 'JSONSchemaProps | boolean',
  schemaOrStrings: 'JSONSchemaProps | string[]',
}
