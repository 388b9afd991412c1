/** Ordinary words of support and coding agents: text made of them compresses about as well as real histories. */
export const WORDS =
  `account address after again against agent all already also although always amount another answer any
arrived asked available back balance because before begin below between billing both branch browser build button cache
call cancel card carrier case change charge check city class client close code column commit company complete confirm
connect contact contract copy correct cost could country create credit current customer data date day decide default
delay delete deliver deploy describe detail device did different direct discount document does done down draft due each
early edit either email empty end enough entry error even event every exact example exchange expect expired export fail
false fast field file fill filter final find first fix flight folder follow form found free from full function further
general get give good group had handle has have header help here high history hold hour however identifier if image
import include index information input inside instead invoice is issue item its join just keep key kind known label
large last later latest least leave length less level library like limit line link list local log long look lost
machine made main make manager many map match maybe mean member memory merge message method might minute missing model
module month more most move much must name need network never new next night no none normal not note nothing now number
object of offer old on once one only open option or order other our out outside over own package page parcel part pass
past patch path pay payment pending people per phone place plan please point policy port possible post present price
print problem process product profile project promise proof provide public push query question queue quick quite range
rate rather reach read ready reason receive record refund region reject release remain remove repeat reply report
request reserve reset resolve response rest result retry return review right route row rule run safe same save schedule
search second section see seems select send server service session set several ship should show side since single size
small so some soon source space start state status step still stock stop store string such summary support sure system
table take task team test text than that the their then there these they thing this those thread through ticket time
title to today together token tomorrow too tool total track transfer travel true try type under unit until update
upgrade use user valid value version very wait want warehouse warning was way week well were what when where which
while who whole why will with within without word work would write wrong year yes yesterday yet you your zone`
    .split(/\s+/)
    .filter(Boolean);

/** Text beyond ASCII, as it occurs in names, prices and chats. */
export const FOREIGN = [
  'Zoë Müller',
  'São Paulo',
  '東京都港区',
  '42,50 €',
  'naïve – “quoted”',
  'Привет',
  '👍🏽',
  '你好，世界',
  'Ærøskøbing',
  'l’été',
];

export const TOOLS = [
  'search_orders',
  'get_reservation',
  'update_address',
  'run_tests',
  'read_file',
  'refund_payment',
  'list_tickets',
];

export const AGENTS = ['support', 'researcher', 'coder', 'reviewer', 'planner'];

export const MODELS = ['gpt-4o-2024-08-06', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'mistral-large-2411'];
