// The TypeScript names of the tables' types, where they differ.

/** Different types with the same name in two tables, and some with unclear names. */
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

/** Equal types of two tables: one of them is enough. */
export const same = {
  'apiextensions.ConditionStatus': 'meta.ConditionStatus',
  'apiextensions.ServiceReference': 'admissionregistration.ServiceReference',
  'apiextensions.WebhookClientConfig': 'admissionregistration.WebhookClientConfig',
  'apiregistration.ConditionStatus': 'meta.ConditionStatus',
  'autoscalingv1.CrossVersionObjectReference': 'autoscaling.CrossVersionObjectReference',
  'core.ConditionStatus': 'meta.ConditionStatus',
  'flowcontrol.ConditionStatus': 'meta.ConditionStatus',
}

/** Existing types: where, what to import, and how to write it. */
export const existing = {
  'meta.GroupVersionKind': { from: '../object.js', name: 'GroupVersionKind' },
  'meta.ObjectMeta': { from: '../object.js', name: 'ObjectMeta' },
  // A webhook only responds with a reason.
  'meta.Status': { from: '../status.js', name: 'Status', as: 'Partial<Status>' },
}

/** Kinds that are not resources: bodies of subresources and webhooks. */
export const bodies = {
  'admission.AdmissionReview': 'none',
  'apiextensions.ConversionReview': 'none',
  'authentication.TokenRequest': 'Namespaced',
  'autoscalingv1.Scale': 'Namespaced',
  'policy.Eviction': 'Namespaced',
}

/** Tables without an OpenAPI document: required fields follow from Go alone. */
export const undocumented = new Set(['admission'])

/** The tables' names for undeclared types: the alias to import, or the type itself. */
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

/** The choices in a JSON Schema. */
export const choices = {
  schemaOrArray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  schemaOrBool: 'JSONSchemaProps | boolean',
  schemaOrStrings: 'JSONSchemaProps | readonly string[]',
}
