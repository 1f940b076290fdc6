/** Words that carry no meaning of their own in a question about a vault, by what they are in a sentence. */
const common = `
a an the this that these those it its it's he she they them their his her
i me my mine we us our ours you your yours one ones one's us mate folks guys team y'all im i'm we're you're they're i'd we'd
is are was were be been being am do does did done doing has have had having can could might must shall should expect
to of in on at by for from with within into onto about over per via as than through throughout across behind between toward towards upon
and or but then so though because while during since before after earlier prior previous previously again
what what's whats which whichever how hows how's whether
yes yep nope nor ever
all any each every both some several few many much more most less least enough another other else only just also too very quite
really actually basically simply roughly approximately exactly about almost nearly around pretty rather somewhat
still yet already currently now right here there once always usually normally generally typically altogether overall total
anything something everything anyone anybody someone somebody everyone everybody everyone's
please pls plz kindly thanks thank thx cheers hi hey hello ok okay alright well morning evening sorry dear
briefly short simple fund product
show shows give gives tell tells display print see look looks looking check find know say says let lets let's list
want wants wanted need needs needed like wonder wondering curious interested question asking
get gets got getting go goes gone going come comes coming came put puts keep keeps kept bring brings use uses used using
help understand
appear arrive assume concern confirm consider contain decide depend describe determine elaborate end ends ended exist exists face finish
follow hear hit hope include indicate involve matter mean means meant mention notice obtain occur pass produce provide reach read
reflect refer regard relate remain remember represent require reside serve sound suppose talk track try turn view watch
actual basic clear complete correct exact final full fine general given great important individual initial interesting key known
nice normal obvious particular possible precise proper reasonable relevant rough separate serious similar slight special
specific standard sudden sure true usual various whole entire
soon shortly later eventually tomorrow answer bit case chart dashboard data detail details example fact info information instance
line lot minute mind note picture place rest screen situation stats statistics table word words breakdown insight
adjust belong lever button switch key keys parked park placed plain scale shape noteworthy weekend past ahead achieve aggregate assigned associated become behave careful deliver direct equal extra finally fully forward
maintain multiple progress same step suffer useful work works buffer mostly largely mainly longer ie eg aka
pull lead people's deal sense feel load grab fetch list view
absolutely afterwards along although amid among anymore anyway apparently aside awesome background believe besides bother broad busy
carefully casual certain certainly clarify clearly comment completely concrete confused constantly continue course cuz definitely
despite directly discuss doubt easily easy effectively either entirely especially essentially even exciting express extent extremely
fairly familiar firm fortunately frankly friend further glad greatly guess guessing hang hardly hence highly honest honestly hopefully
however ideally impressive indeed inside itself latter learn literally little local loosely lovely maybe meantime meanwhile merely minus
moreover namely notion obviously occasionally odd otherwise outside pardon particularly partly perfect perhaps personally plenty plus
possibly potentially precisely preferably proceed properly purely recall regardless relatively respect respectively resulting said saw
seen seriously similarly different contract contracts sir slightly smth somehow sometimes somewhere sooner specifically spot straight strictly stuff substantially
such suddenly surely surprised surprising therefore think thought thru thus told tonight ultimately unfortunately vague visible weird
welcome whatever whereas wherever wise worried worry wow yeah
run normally smoothly
seem seems count amount amounts figure figures number numbers value values thing things stuff
bought sit sits sitting stand stands standing stay lie lies stuck
time times period ago term terms moment point piece part parts kind sort way ways side
current currently present apart tomorrow ratio behind request requests requested land lands landed will went
been s re ve ll d t m n r u w ur
set
switched enabled turned place places
single individual
real dollar double
able
break breaks down out up off
total sum altogether combined together
`;

/** Words of a greeting or an address, and misspellings too short to be found. */
const colloquial = `
teh hte wat wht hw abt rly tbh btw fyi imo asap lol yo sup gimme lemme wanna gotta dunno kinda sorta whens wheres whos thats isnt
arent doesnt dont didnt cant couldnt wont wouldnt hasnt havent vault vault's vaults'
`;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const commonWords: ReadonlySet<string> = new Set([...words(common), ...words(colloquial)]);

/** What a person may ask about that is no part of a vault: other products, chains and coins. A source of the vault may bear one of the names. */
export const elsewhere: ReadonlySet<string> = new Set(
  words(`
    lido yearn compound maker makerdao sky spark euler curve convex uniswap sushi pendle ethena morpho aave fluid gearbox gauntlet
    steakhouse superform beefy balancer frax rocketpool eigenlayer etherfi renzo ondo maple centrifuge kamino jupiter drift
    bitcoin btc solana sol ripple xrp doge dogecoin cardano bnb
    ethereum mainnet arbitrum optimism polygon avalanche bsc linea scroll zksync blast gnosis sonic berachain unichain tron fantom
    nasdaq sp500 treasuries treasury inflation gold stocks defi binance coinbase kraken
  `),
);
