import { addressFault, urlFault } from './notice-address.js';

const LOCAL = { isLocal: true, privateHosts: [] };
const OPEN = { isLocal: false, privateHosts: ['intern.example', '10.1.2.3', 'fd12::1'] };

describe('Where a notice may be sent', () => {
  it.each(['https://example.com/hook', 'https://1.1.1.1/x?y=z', 'https://[2606:4700::1111]/', 'https://10.1.2.3/'])(
    '%s is allowed',
    (url) => expect(urlFault(url, OPEN)).toBeNull(),
  );

  it.each([
    'http://127.0.0.1:9/',
    'http://localhost/',
    'http://[::1]:80/',
    'https://a.localhost/',
    'http://2130706433/',
  ])('%s is allowed only while the server listens for nobody else', (url) => {
    expect(urlFault(url, LOCAL)).toBeNull();
    expect(urlFault(url, OPEN)).toMatch(/this machine/);
  });

  it.each([
    ...['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'example.com', '', 'https://a b/'],
    ...['https://user:secret@example.com/', `https://example.com/${'x'.repeat(2048)}`, 'http://10.1.2.3/'],
    ...['https://169.254.169.254/latest', 'https://[fe80::1]/', 'https://[fd00:ec2::254]/', 'https://100.100.100.200/'],
    ...['https://0.0.0.0/', 'https://[::]/', 'https://0x0/', 'https://224.0.0.1/', 'https://255.255.255.255/'],
    ...['https://192.168.0.1/', 'https://172.16.5.4/', 'https://[fc00::1]/', 'https://100.64.0.1/'],
    ...['https://[::ffff:169.254.169.254]/', 'https://[::ffff:10.0.0.1]/', 'https://[64:ff9b::a9fe:a9fe]/'],
    ...['https://[2002:a9fe:a9fe::1]/', 'https://[::10.0.0.1]/', 'https://[2001:db8::1]/'],
  ])('%s is not allowed', (url) => {
    expect(urlFault(url, OPEN)).not.toBeNull();
    expect(urlFault(url, LOCAL)).not.toBeNull();
  });

  it('judges the address that a name leads to', () => {
    expect(addressFault('93.184.216.34', 'example.com', OPEN)).toBeNull();
    expect(addressFault('10.0.0.7', 'intern.example', OPEN)).toBeNull();
    expect(addressFault('10.0.0.7', 'example.com', OPEN)).toMatch(/private network/);
    expect(addressFault('::ffff:127.0.0.1', 'example.com', OPEN)).toMatch(/this machine/);
    expect(addressFault('fe80::1%eth0', 'intern.example', OPEN)).toMatch(/never/);
    expect(addressFault('169.254.169.254', 'intern.example', OPEN)).toMatch(/never/);
  });
});
