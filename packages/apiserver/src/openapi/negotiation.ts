/** Returns the form of `/openapi/v2` that an `Accept` header requests; undefined if it accepts neither. */
export function v2Form(accept: string | undefined): 'json' | 'protobuf' | undefined {
  if (accept === undefined || accept.trim() === '') return 'json'
  for (const clause of accept.split(',')) {
    const type = clause.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    const form = FORMS.get(type)
    if (form !== undefined) return form
  }
  return undefined
}

const FORMS: ReadonlyMap<string, 'json' | 'protobuf'> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
  ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
])
