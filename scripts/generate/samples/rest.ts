import { sampleAddresses } from '../../../src/contract/shared/samples.ts'
import { type Bound, bodyOf, pathOf, queryOf, tokenName } from './bound.ts'
import { doubleQuoted, json, literal, type Style } from './literal.ts'

/** A request in a shell, by curl. */
export function curlSample(method: Bound): string {
  const { http, operation, stream } = method
  const query = new URLSearchParams(queryOf(method)).toString()
  const address = `${sampleAddresses.http}${pathOf(method)}${query === '' ? '' : `?${query}`}`
  const token = tokenName(operation)
  const body = bodyOf(method)
  return [
    `curl ${stream ? '--no-buffer ' : ''}${http.method === 'GET' ? '' : `-X ${http.method} `}'${address}'`,
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(body === null
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${literal(body, json).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
}

const python: Style = {
  text: doubleQuoted,
  key: doubleQuoted,
  pad: '',
  indent: '    ',
  end: ',',
  true: 'True',
  false: 'False',
  null: 'None',
}

/** A request in Python, by the package requests. */
export function pythonSample(method: Bound): string {
  const { http, operation, stream } = method
  const token = tokenName(operation)
  const body = bodyOf(method)
  const query = queryOf(method)
  const call = [
    `requests.${http.method.toLowerCase()}(`,
    `    ${doubleQuoted(sampleAddresses.http + pathOf(method))},`,
    ...(token === null ? [] : [`    headers={"Authorization": f"Bearer {os.environ['${token}']}"},`]),
    ...(Object.keys(query).length === 0 ? [] : [`    params=${literal(query, python, 1)},`]),
    ...(body === null ? [] : [`    json=${literal(body, python, 1)},`]),
    ...(stream ? ['    stream=True,'] : []),
    ')',
  ].join('\n')
  const imports = `${token === null ? '' : 'import os\n\n'}import requests`
  const rest = stream
    ? `with ${call} as response:\n    response.raise_for_status()\n    for line in response.iter_lines(decode_unicode=True):\n        print(line)`
    : `response = ${call}\nresponse.raise_for_status()\nprint(response.json())`
  return `${imports}\n\n${rest}`
}
