"""Closed lists of English and Spanish words, accents folded away. Knows no text."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "es"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _counted(words: str) -> dict[str, float]:
    return {word: float(value) for value, word in enumerate(words.split(), start=2)}


# Words that carry grammar and no content.
STOP: dict[Language, frozenset[str]] = {
    "en": _set(
        """
        a about above after again against all also although always am among an and another any anybody anyone
        anything are around as at away back be because been before being below between both but by came can
        cannot come could did do does doing done down during each either else enough etc even ever every
        everyone everything few for from further get gets give given gives go goes going got had has have having
        he her here hers herself him himself his how however i if in indeed into is it its itself just kind
        least less let like made make makes many may maybe me might mine more moreover most much must my myself
        neither never no nobody none nor not nothing now of off often on once one only onto or other others
        ought our ours out over own per perhaps please quite rather really same says seem seems several shall
        she should since so some someone something sometimes soon still such take than that the their theirs
        them themselves then there therefore these they thing things this those though through thus till to
        together too toward towards under unless until up upon us used uses using usually very via was we well
        went were what whatever when where whereas whether which while who whoever whole whom whose why will
        with within without would yes yet you your yours yourself ain't aren't can't couldn't didn't doesn't
        don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't wouldn't i'm i've i'd i'll it's
        that's there's they're they've we're we've you're you've he's she's what's
        """
    ),
    "es": _set(
        """
        a aca ademas ahi ahora al algo alguien algun alguna algunas alguno algunos alla alli ambas ambos ante
        antes aquel aquella aquellas aquellos aqui asi aun aunque bajo bastante bien cada casi como con contra
        cual cuales cualquier cualquiera cuando cuanta cuantas cuanto cuantos cuya cuyas cuyo cuyos da dan de
        debe deben debido del demas dentro desde despues donde dos durante e el ella ellas ello ellos en
        entonces entre era eran eres es esa esas ese eso esos esta estaba estaban estado estamos estan estar
        estas este esto estos estoy etc fue fueron fui ha haber habia habian han hasta hay haya he hecho hemos
        hizo incluso jamas junto la las le les lo los luego mas me mediante mejor menos mi mia mientras mio mis
        misma mismas mismo mismos mucha muchas mucho muchos muy nada nadie ni ningun ninguna ninguno no nos
        nosotras nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para parte pero
        poca pocas poco pocos por porque pudo pueda puede pueden pues puesto que quien quienes quiza quizas se
        sea sean segun ser sera seran si sido siempre sin sino sobre sois solamente solo somos son soy su suele
        suelen sus suya suyo tal tales tambien tampoco tan tanta tantas tanto tantos te tenemos tener tenia
        tengo ti tiene tienen toda todas todavia todo todos traves tras tu tus u un una unas uno unos usted
        ustedes va van varias varios veces vez vosotros vuestra vuestro y ya yo
        """
    ),
}

NEGATION = _set(
    """
        not no never none nothing nobody neither nor without cannot nunca jamas nada nadie ningun ninguno
        ninguna tampoco ni sin
        """
)

# From two on: "one" and "un" are articles more often than numbers.
NUMBER_WORDS: dict[Language, dict[str, float]] = {
    "en": _counted("two three four five six seven eight nine ten eleven twelve"),
    "es": _counted("dos tres cuatro cinco seis siete ocho nueve diez once doce"),
}
SCALES: dict[str, float] = {
    "thousand": 1e3, "mil": 1e3, "million": 1e6, "millions": 1e6, "millon": 1e6, "millones": 1e6, "billion": 1e9,
}  # fmt: skip

# Endings taken off a folded singular, the longest first, while three letters or more are left.
ENDINGS: dict[Language, tuple[str, ...]] = {
    "en": ("ation", "ment", "ingly", "edly", "ing", "est", "ied", "ed", "er", "ly", "e", "y"),
    "es": (
        "amiento", "imiento", "aremo", "eremo", "iremo", "acion", "icion", "ucion", "mente", "ieron", "iendo", "arian",
        "erian", "irian", "cion", "aran", "eran", "iran", "aria", "eria", "iria", "ando", "aron", "aban", "amo", "emo",
        "imo", "aba", "ado", "ada", "ido", "ida", "ian", "ara", "era", "ira", "ar", "er", "ir", "an", "en", "ia", "io",
        "a", "e", "o", "y",
    ),
}  # fmt: skip

# A point after these ends no sentence.
ABBREVIATIONS = _set(
    "dr dra mr mrs ms st sr sra srta d dna ud uds no num nº pag art av avda vs etc eg ie approx aprox p pp vol"
)

# What a text is called when one says that something is not in it.
_TEXT = (
    r"(?:text|context|document|article|passage|source|page|notice|report|information|excerpt|extract|material|"
    r"provided|description|note|file|record|paragraph|letter|leaflet|advert|brochure|guide|manual|email|message|"
    r"statement|policy|terms|rule|texto|contexto|documento|articulo|pasaje|fuente|pagina|aviso|informe|informacion|"
    r"fragmento|extracto|nota|noticia|ficha|folleto|parrafo|carta|anuncio|hoja|base|guia|correo|mensaje|norma|"
    r"prospecto|boletin|instruccion(?:es)?)s?"
)
TEXT_WORD = re.compile(rf"\b{_TEXT}\b")

# Said of a text alone: enough by themselves to make a sentence an abstention.
ABSTAINS = re.compile(
    r"(?:\b(?:does|do|did)(?: not|n't) (?:say|state|mention|specify|indicate|disclose|reveal|clarify)"
    r"|(?:\bnot|n't) (?:explicitly |actually |directly )?(?:mentioned|stated|specified|indicated|disclosed|said)"
    r"|\b(?:no|not enough|insufficient|without) (?:further |more |such |explicit )?"
    r"(?:information|mention|indication|details?)"
    r"|\b(?:makes|make|is|has) no (?:mention|reference|word)|no word (?:on|about|of)|says nothing"
    r"|\bis silent (?:on|about)|nothing (?:is said|in the)"
    r"|\b(?:cannot|can't|could not|couldn't|impossible to|not possible to|unable to) (?:be )?"
    r"(?:determined?|tell|told|say|said|answer|answered|find|found|know|known|establish|established|infer|inferred|"
    r"confirm|confirmed)"
    r"|\bneither [^.]{1,80} (?:is|are|was|were) (?:mentioned|stated|given|specified|indicated)"
    r"|\bno such (?:figure|detail|data|information)|\b(?:do not|don't) know"
    r"|\b(?:is|are|remains?) (?:unknown|unclear|unspecified)"
    r"|\bno (?:se |lo |la |los |las |le |les |nos |me )*(?:menciona|indica|dice|especifica|detalla|aclara|precisa|"
    r"informa|consta|senala)[no]?\b"
    r"|\bno (?:hay|existe|existen|contiene|ofrece|aporta|proporciona|facilita|da|incluye|tengo|dispongo de) "
    r"(?:ningun[ao]? |mas |suficiente )?(?:informacion|datos?|mencion|constancia|indicacion|detalles?|referencias?)"
    r"|\bno (?:es posible|se puede|se pueden|puedo|podemos|cabe|se podria) (?:saber|saberlo|determinar|determinarlo|"
    r"responder|decir|decirlo|conocer|averiguar|deducir|confirmar|contestar|encontrar)"
    r"|\b(?:no|ni) (?:lo |se |lo se )?(?:sabe|sabemos|conoce|queda claro|consta|esta claro)|no lo se\b"
    r"|\bse (?:desconoce|desconocen|ignora)|sin (?:informacion|datos|mencion)|guarda silencio|nada (?:se )?dice|"
    r"no dice nada|(?:falta|faltan) (?:informacion|datos))\b"
)

# Said of anything: an abstention only beside a word for the text.
ABSTAINS_OF_TEXT = re.compile(
    r"(?:\b(?:does|do|did)(?: not|n't) (?:contain|include|give|provide|cover|list|tell|explain|address|offer|answer|"
    r"describe|refer|record|name|show|have|appear)"
    r"|(?:\bnot|n't) (?:given|provided|available|included|covered|listed|found|present|contained|described|recorded|"
    r"known|in the|part of)"
    r"|\bno (?:data|figures?|answer|record|trace|reference)"
    r"|\b(?:gives|states|mentions|contains|provides|offers|includes|lists|has|says|tells|sets|shows|names) (?:us )?"
    r"(?:no|nothing|neither)"
    r"|\bno (?:se |lo |la |los |las |le |les |nos |me )*(?:incluyen?|contienen?|recogen?|figuran?|aparecen?|explican?|"
    r"dan?|ofrecen?|facilitan?|aportan?|proporcionan?|fijan?|responden?|contestan?|nombran?|refleja|describen?|trata|habla|"
    r"cuenta|esta|estan|encuentro|hay)|ningun(?:a|o)?)\b"
)

# What a part of a question asks for: a number, or a name.
WANTS_NUMBER = re.compile(
    r"\b(?:how (?:much|many|long|old|far|often|big|tall|high)|when|"
    r"what (?:year|date|time|percentage|price|number|hours?)|which (?:year|date|day)|price|costs?|"
    r"cuant[oa]s?|cuando|precio|coste|costo|cuestan?|"
    r"que (?:ano|fecha|hora|dia|porcentaje|precio|horario)|hasta que|fecha|horario)\b"
)
WANTS_NAME = re.compile(r"\b(?:who|whom|whose|quien|quienes)\b")
PARTS = re.compile(r"[?¿;]+|,?\s(?:and|as well as|y|e|además de|asi como|así como)\s", re.IGNORECASE)
