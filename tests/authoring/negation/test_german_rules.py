"""Negation in German: every rule and every abstention on sentences of our own."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.negation import negate

NICHT = [
    (
        "nicht-before-complement",
        "Der Jahrmarkt soll auf den Rathausplatz umziehen.",
        "Der Jahrmarkt soll nicht auf den Rathausplatz umziehen.",
    ),
    (
        "nicht-before-adverb",
        "Das Land soll Vereinen die Säle gratis überlassen.",
        "Das Land soll Vereinen die Säle nicht gratis überlassen.",
    ),
    (
        "nicht-before-cluster",
        "Die Zinsen auf selbst genutzte Häuser sollen sinken.",
        "Die Zinsen auf selbst genutzte Häuser sollen nicht sinken.",
    ),
    (
        "nicht-before-cluster",
        "Die Abrissarbeiten sollen vorerst ruhen.",
        "Die Abrissarbeiten sollen vorerst nicht ruhen.",
    ),
    (
        "nicht-before-complement",
        "Der Datenschutz gehört in die Verfassung des Landes Bremen.",
        "Der Datenschutz gehört nicht in die Verfassung des Landes Bremen.",
    ),
    (
        "quantifier",
        "Kioske dürfen werktags bis 23 Uhr verkaufen.",
        "Kioske dürfen werktags nicht bis 23 Uhr verkaufen.",
    ),
    (
        "nicht-before-cluster",
        "Die Kohlegruben sollen langfristig stillgelegt werden.",
        "Die Kohlegruben sollen langfristig nicht stillgelegt werden.",
    ),
    (
        "quantifier",
        "Beamte sollen im gleichen Alter in Rente gehen.",
        "Beamte sollen nicht im gleichen Alter in Rente gehen.",
    ),
    (
        "undone-weiterhin",
        "Fahrerflucht soll nicht länger als Straftat gelten.",
        "Fahrerflucht soll weiterhin als Straftat gelten.",
    ),
    (
        "undone",
        "Untersuchungshaft soll nicht länger als drei Monate dauern.",
        "Untersuchungshaft soll länger als drei Monate dauern.",
    ),
    (
        "nicht-before-predicate",
        "Tempo 20 soll innerorts zur Norm werden.",
        "Tempo 20 soll innerorts nicht zur Norm werden.",
    ),
    (
        "quantifier",
        "Die Justiz braucht dringend mehr Stellen.",
        "Die Justiz braucht nicht dringend mehr Stellen.",
    ),
    (
        "nicht-before-adverb",
        "Die Öffentlichkeit wird über Rüstungsexporte gut unterrichtet.",
        "Die Öffentlichkeit wird über Rüstungsexporte nicht gut unterrichtet.",
    ),
    (
        "focus-word",
        "In Österreich soll ganzjährig die Winterzeit gelten.",
        "In Österreich soll nicht ganzjährig die Winterzeit gelten.",
    ),
    (
        "nicht-before-predicate",
        "Kantone und Gemeinden sollen gemeinsam für die Spitäler verantwortlich sein.",
        "Kantone und Gemeinden sollen nicht gemeinsam für die Spitäler verantwortlich sein.",
    ),
    (
        "nicht-before-complement",
        "Der Chemieunterricht soll durch das neue Fach Umweltkunde ersetzt werden.",
        "Der Chemieunterricht soll nicht durch das neue Fach Umweltkunde ersetzt werden.",
    ),
    (
        "nicht-before-cluster",
        "Läden in Bahnhöfen sollen nachts schließen müssen.",
        "Läden in Bahnhöfen sollen nachts nicht schließen müssen.",
    ),
    (
        "nicht-before-cluster",
        "Apotheken sollen sonntags liefern.",
        "Apotheken sollen sonntags nicht liefern.",
    ),
    (
        "kein",
        "Pendler sollen einen Anspruch darauf haben, von zu Hause zu arbeiten.",
        "Pendler sollen keinen Anspruch darauf haben, von zu Hause zu arbeiten.",
    ),
    (
        "kein-bare",
        "Der Kanton soll Stipendien für Lehrlinge ausrichten.",
        "Der Kanton soll keine Stipendien für Lehrlinge ausrichten.",
    ),
    (
        "nicht-before-cluster",
        "Der Bund soll Verfahren beschleunigen.",
        "Der Bund soll Verfahren nicht beschleunigen.",
    ),
    ("nicht-before-cluster", "Die Stadt soll Radwege ausbauen.", "Die Stadt soll Radwege nicht ausbauen."),
    (
        "nicht-before-cluster",
        "Das Land soll Schulgebäude modernisieren.",
        "Das Land soll Schulgebäude nicht modernisieren.",
    ),
    (
        "focus-word",
        "In Zürich gibt es ausreichend Parkplätze.",
        "In Zürich gibt es nicht ausreichend Parkplätze.",
    ),
    (
        "focus-word",
        "Die Gemeinden werden vom Kanton genügend entlastet.",
        "Die Gemeinden werden vom Kanton nicht genügend entlastet.",
    ),
    (
        "focus-word",
        "Kleinbauern werden vom Bund hinreichend geschützt.",
        "Kleinbauern werden vom Bund nicht hinreichend geschützt.",
    ),
    (
        "focus-word",
        "Steuerflucht wird in der Schweiz streng genug bestraft.",
        "Steuerflucht wird in der Schweiz nicht streng genug bestraft.",
    ),
    (
        "focus-word",
        "Die Züge fahren auf dem Land häufig genug.",
        "Die Züge fahren auf dem Land nicht häufig genug.",
    ),
    (
        "undone-kein",
        "Im Nationalpark dürfen weiterhin keine Straßen gebaut werden.",
        "Im Nationalpark dürfen Straßen gebaut werden.",
    ),
    ("undone", "Das Land soll weiterhin nicht zahlen.", "Das Land soll zahlen."),
    (
        "kein-bare",
        "In den Kliniken fehlen erfahrene Pfleger.",
        "In den Kliniken fehlen keine erfahrenen Pfleger.",
    ),
    ("kein-bare", "Auf dem Land fehlen Hausärzte.", "Auf dem Land fehlen keine Hausärzte."),
    (
        "undone-kein",
        "Geheimdienste sollen keinen Zugang zu Bankdaten haben.",
        "Geheimdienste sollen Zugang zu Bankdaten haben.",
    ),
    (
        "undone-kein",
        "Abgeordnete sollen keinen Dienstwagen haben.",
        "Abgeordnete sollen einen Dienstwagen haben.",
    ),
    (
        "nicht-before-complement",
        "Windparks sollen ihren Strom ins Landesnetz einspeisen.",
        "Windparks sollen ihren Strom nicht ins Landesnetz einspeisen.",
    ),
    (
        "kein-bare",
        "Fabriken dürfen gereinigtes Abwasser in Flüsse einleiten.",
        "Fabriken dürfen kein gereinigtes Abwasser in Flüsse einleiten.",
    ),
    (
        "nicht-before-cluster",
        "Betriebe mit fünf oder weniger Angestellten sollen befreit werden.",
        "Betriebe mit fünf oder weniger Angestellten sollen nicht befreit werden.",
    ),
    (
        "focus-word",
        "Nur wer Steuern zahlt, soll abstimmen dürfen.",
        "Nicht nur wer Steuern zahlt, soll abstimmen dürfen.",
    ),
    (
        "focus-word",
        "Nur wenn alle Gemeinden zustimmen, darf der Kanton die Steuern erhöhen.",
        "Nicht nur wenn alle Gemeinden zustimmen, darf der Kanton die Steuern erhöhen.",
    ),
    (
        "focus-word",
        "Österreich soll Russland gegenüber härter auftreten.",
        "Österreich soll Russland gegenüber nicht härter auftreten.",
    ),
    (
        "nicht-before-adverb",
        "Die Polizei soll Jugendlichen gegenüber nachsichtiger handeln.",
        "Die Polizei soll Jugendlichen gegenüber nicht nachsichtiger handeln.",
    ),
    (
        "quantifier",
        "Die Ämter müssen Bauanträge innerhalb von sechs Wochen bearbeiten.",
        "Die Ämter müssen Bauanträge nicht innerhalb von sechs Wochen bearbeiten.",
    ),
    (
        "quantifier",
        "Rechnungen müssen binnen zehn Tagen bezahlt werden.",
        "Rechnungen müssen nicht binnen zehn Tagen bezahlt werden.",
    ),
    (
        "nicht-before-complement",
        "Häuser dürfen innerhalb von Naturschutzgebieten gebaut werden.",
        "Häuser dürfen nicht innerhalb von Naturschutzgebieten gebaut werden.",
    ),
    (
        "nicht-before-complement",
        "Der Staat soll Fördermittel an Auflagen binden.",
        "Der Staat soll Fördermittel nicht an Auflagen binden.",
    ),
    (
        "nicht-before-complement",
        "Die Kommunen sollen Zuschüsse an Erfolge koppeln.",
        "Die Kommunen sollen Zuschüsse nicht an Erfolge koppeln.",
    ),
    (
        "nicht-before-complement",
        "Der Bund soll Darlehen in Zuschüsse umwandeln.",
        "Der Bund soll Darlehen nicht in Zuschüsse umwandeln.",
    ),
    (
        "kein-bare",
        "Der Bund soll Waffen an Partnerländer liefern.",
        "Der Bund soll keine Waffen an Partnerländer liefern.",
    ),
    # before the verb cluster, after definite objects, pronouns and frames
    (
        "nicht-before-cluster",
        "Der Kanton soll die Hundesteuer abschaffen.",
        "Der Kanton soll die Hundesteuer nicht abschaffen.",
    ),
    (
        "nicht-before-cluster",
        "Die Hundesteuer soll abgeschafft werden.",
        "Die Hundesteuer soll nicht abgeschafft werden.",
    ),
    (
        "nicht-before-cluster",
        "Die Steuer soll gesenkt werden können.",
        "Die Steuer soll nicht gesenkt werden können.",
    ),
    ("nicht-before-cluster", "Die Maut ist abzuschaffen.", "Die Maut ist nicht abzuschaffen."),
    ("nicht-before-cluster", "Der Rat soll es verbieten.", "Der Rat soll es nicht verbieten."),
    (
        "nicht-before-cluster",
        "Richterinnen sollen streiken dürfen.",
        "Richterinnen sollen nicht streiken dürfen.",
    ),
    (
        "nicht-before-cluster",
        "Die Regierung lehnt das Abkommen ab.",
        "Die Regierung lehnt das Abkommen nicht ab.",
    ),
    ("nicht-before-cluster", "Das Land hat die Steuer erhöht.", "Das Land hat die Steuer nicht erhöht."),
    (
        "nicht-before-cluster",
        "Die Strassen sollen verbreitert werden.",
        "Die Strassen sollen nicht verbreitert werden.",
    ),
    (
        "nicht-before-cluster",
        "Das Parlament soll den Bau günstiger Wohnungen fördern.",
        "Das Parlament soll den Bau günstiger Wohnungen nicht fördern.",
    ),
    (
        "nicht-before-cluster",
        "Den Bürgern soll das Recht entzogen werden.",
        "Den Bürgern soll das Recht nicht entzogen werden.",
    ),
    (
        "nicht-before-cluster",
        "Im Rahmen der Reform soll die Gebühr gesenkt werden (von 5% auf 3%).",
        "Im Rahmen der Reform soll die Gebühr nicht gesenkt werden (von 5% auf 3%).",
    ),
    (
        "nicht-before-cluster",
        "In Parks sollen Hunde verboten werden.",
        "In Parks sollen Hunde nicht verboten werden.",
    ),
    (
        "nicht-before-cluster",
        "Es wird empfohlen, das Moor zu schützen.",
        "Es wird nicht empfohlen, das Moor zu schützen.",
    ),
    # clauses around the main clause
    (
        "nicht-before-cluster",
        "Wenn die Preise steigen, soll die Steuer sinken.",
        "Wenn die Preise steigen, soll die Steuer nicht sinken.",
    ),
    (
        "nicht-before-cluster",
        "Sollten die Preise steigen, soll die Stadt die Miete deckeln.",
        "Sollten die Preise steigen, soll die Stadt die Miete nicht deckeln.",
    ),
    (
        "nicht-before-cluster",
        "Die Regel, die Hunde, Katzen und Vögel betrifft, soll geändert werden.",
        "Die Regel, die Hunde, Katzen und Vögel betrifft, soll nicht geändert werden.",
    ),
    (
        "nicht-before-cluster",
        "Die Bauern, die Händler und die Wirte sollen befragt werden.",
        "Die Bauern, die Händler und die Wirte sollen nicht befragt werden.",
    ),
    (
        "nicht-before-cluster",
        "Heute gilt Tempo 50. Diese Grenze soll gesenkt werden.",
        "Heute gilt Tempo 50. Diese Grenze soll nicht gesenkt werden.",
    ),
    (
        "nicht-before-cluster",
        "Die Brücke ist alt: Sie soll abgerissen werden.",
        "Die Brücke ist alt: Sie soll nicht abgerissen werden.",
    ),
    # an attribute that is negated does not negate the clause
    (
        "nicht-before-cluster",
        "Die Entsorgung von nicht verkauftem Brot soll erlaubt werden.",
        "Die Entsorgung von nicht verkauftem Brot soll nicht erlaubt werden.",
    ),
    # before what belongs closely to the verb
    (
        "nicht-before-complement",
        "Norwegen soll aus der NATO austreten.",
        "Norwegen soll nicht aus der NATO austreten.",
    ),
    (
        "nicht-before-complement",
        "Die Miete soll auf 900 Euro gesenkt werden.",
        "Die Miete soll nicht auf 900 Euro gesenkt werden.",
    ),
    (
        "nicht-before-complement",
        "Vereine sollen dazu verpflichtet werden, Beiträge zu erheben.",
        "Vereine sollen nicht dazu verpflichtet werden, Beiträge zu erheben.",
    ),
    (
        "nicht-before-complement",
        "Der Bus soll mit Steuern finanziert werden.",
        "Der Bus soll nicht mit Steuern finanziert werden.",
    ),
    (
        "nicht-before-complement",
        "Fahren ohne Helm soll unter Strafe gestellt werden.",
        "Fahren ohne Helm soll nicht unter Strafe gestellt werden.",
    ),
    ("nicht-before-complement", "Das Jodeln gehört zu Bayern.", "Das Jodeln gehört nicht zu Bayern."),
    (
        "nicht-before-complement",
        "Der Bund hilft den Bauern bei der Ernte.",
        "Der Bund hilft den Bauern nicht bei der Ernte.",
    ),
    (
        "nicht-before-adverb",
        "Die Bürgermeisterin soll direkt gewählt werden.",
        "Die Bürgermeisterin soll nicht direkt gewählt werden.",
    ),
    (
        "nicht-before-adverb",
        "Wein soll gesetzlich geschützt werden.",
        "Wein soll nicht gesetzlich geschützt werden.",
    ),
    (
        "nicht-before-adverb",
        "Die Maut wirkt sich negativ auf den Handel aus.",
        "Die Maut wirkt sich nicht negativ auf den Handel aus.",
    ),
    (
        "nicht-before-object",
        "Mieter sollen das Recht haben, Katzen zu halten.",
        "Mieter sollen nicht das Recht haben, Katzen zu halten.",
    ),
    (
        "nicht-before-object",
        "In Wien geborene Kinder sollen die Staatsbürgerschaft erhalten.",
        "In Wien geborene Kinder sollen nicht die Staatsbürgerschaft erhalten.",
    ),
    ("nicht-final", "Der Bund schützt die Wälder.", "Der Bund schützt die Wälder nicht."),
    ("nicht-final", "Das Museum nützt den Leuten.", "Das Museum nützt den Leuten nicht."),
    (
        "nicht-final",
        "Die Stadt plant, das Bad zu schliessen.",
        "Die Stadt plant nicht, das Bad zu schliessen.",
    ),
    # predicates and matrix clauses
    ("nicht-before-predicate", "Die Wehrpflicht ist gerecht.", "Die Wehrpflicht ist nicht gerecht."),
    (
        "nicht-before-predicate",
        "Es ist richtig, dass der Staat spart.",
        "Es ist nicht richtig, dass der Staat spart.",
    ),
    (
        "nicht-before-predicate",
        "Wälder sind notwendig, um das Klima zu schützen.",
        "Wälder sind nicht notwendig, um das Klima zu schützen.",
    ),
    (
        "nicht-before-complement",
        "Das Land ist auf Hilfe angewiesen.",
        "Das Land ist nicht auf Hilfe angewiesen.",
    ),
    ("nicht-before-predicate", "Schule ist Aufgabe der Länder.", "Schule ist nicht Aufgabe der Länder."),
    (
        "nicht-before-predicate",
        "Georgien soll Teil der EU werden.",
        "Georgien soll nicht Teil der EU werden.",
    ),
    (
        "nicht-before-predicate",
        "Der Zoo ist für die Stadt von grosser Bedeutung.",
        "Der Zoo ist für die Stadt nicht von grosser Bedeutung.",
    ),
    ("nicht-before-predicate", "Parken soll kostenlos sein.", "Parken soll nicht kostenlos sein."),
    (
        "nicht-before-complement",
        "Ich bin dafür, dass Bäume gepflanzt werden.",
        "Ich bin nicht dafür, dass Bäume gepflanzt werden.",
    ),
]

OPERATORS = [
    ("focus-word", "Im Rat sollen auch Kinder mitreden dürfen.", "Im Rat sollen nicht auch Kinder mitreden dürfen."),
    ("focus-word", "Der Zuschlag soll auch für Hebammen gelten.", "Der Zuschlag soll nicht auch für Hebammen gelten."),
    ("focus-word", "Die Fähre soll auch dann fahren, wenn niemand an Bord ist.", "Die Fähre soll nicht auch dann fahren, wenn niemand an Bord ist."),
    ("focus-word", "Der Rat soll für Busse doppelt so viel ausgeben wie für Straßen.", "Der Rat soll für Busse nicht doppelt so viel ausgeben wie für Straßen."),
    ("focus-word", "Die Abgabe soll für Firmen und Vereine gleichermaßen verpflichtend sein.", "Die Abgabe soll für Firmen und Vereine nicht gleichermaßen verpflichtend sein."),
    ("quantifier", "Die Schäden sollen den Bauern in vollem Umfang ersetzt werden.", "Die Schäden sollen den Bauern nicht in vollem Umfang ersetzt werden."),
    ("quantifier", "Die Lasten sind gerecht auf alle Länder zu verteilen.", "Die Lasten sind nicht gerecht auf alle Länder zu verteilen."),
    ("quantifier", "Die Gemeinde soll die Gebühren jeden Monat an die Kosten anpassen.", "Die Gemeinde soll die Gebühren nicht jeden Monat an die Kosten anpassen."),
    ("quantifier", "Finnland soll bis spätestens 2035 klimaneutral sein.", "Finnland soll nicht bis spätestens 2035 klimaneutral sein."),
    ("nicht-before-cluster", "Auf Umgehungsstraßen soll Tempo 70 eingeführt werden.", "Auf Umgehungsstraßen soll Tempo 70 nicht eingeführt werden."),
    ("focus-word", "Renten sollen nur an Arme ausgezahlt werden.", "Renten sollen nicht nur an Arme ausgezahlt werden."),
    ("focus-word", "Die Stadt soll mehr Bäume pflanzen.", "Die Stadt soll nicht mehr Bäume pflanzen."),
    ("focus-word", "Die Stadt soll weniger Geld ausgeben.", "Die Stadt soll nicht weniger Geld ausgeben."),
    ("focus-word", "Radwege sollen stärker gefördert werden als Autobahnen.", "Radwege sollen nicht stärker gefördert werden als Autobahnen."),
    ("focus-word", "Firmen sollen Angestellte leichter versetzen können.", "Firmen sollen Angestellte nicht leichter versetzen können."),
    ("focus-word", "Die Schifffahrt soll höher besteuert werden.", "Die Schifffahrt soll nicht höher besteuert werden."),
    ("focus-word", "Die Prämie soll weiterhin bezahlt werden.", "Die Prämie soll nicht weiterhin bezahlt werden."),
    ("focus-word", "Der Zoll soll wieder eingeführt werden.", "Der Zoll soll nicht wieder eingeführt werden."),
    ("nicht-before-complement", "Die Löhne sollen auf 15 Euro steigen.", "Die Löhne sollen nicht auf 15 Euro steigen."),
    ("nicht-before-complement", "Der Rat soll auf 450 schrumpfen.", "Der Rat soll nicht auf 450 schrumpfen."),
    ("quantifier", "Im Ort soll Tempo 20 gelten.", "Im Ort soll nicht Tempo 20 gelten."),
    ("nicht-before-complement", "Wir halten die Maut für falsch.", "Wir halten die Maut nicht für falsch."),
    ("focus-word", "Die Maut soll bundesweit gelten.", "Die Maut soll nicht bundesweit gelten."),
    ("phased", "Die Maut ist bereits zu hoch.", "Die Maut ist noch nicht zu hoch."),
    ("phased", "Die Maut ist immer noch zu hoch.", "Die Maut ist nicht mehr zu hoch."),
    ("nicht-before-cluster", "Die Maut soll enden, auch wenn es kostet.", "Die Maut soll nicht enden, wenn es kostet."),
    ("nicht-before-cluster", "Die Maut wurde leider erhöht.", "Die Maut wurde nicht erhöht."),
    ("quantifier", "Viele Schulen sollen renoviert werden.", "Nicht viele Schulen sollen renoviert werden."),
    ("undone-weiterhin", "Die Maut soll nicht länger erhoben werden.", "Die Maut soll weiterhin erhoben werden."),
    ("focus-word", "Die Maut soll vollständig gestrichen werden.", "Die Maut soll nicht vollständig gestrichen werden."),
    ("focus-word", "Es gibt zu viele Regeln.", "Es gibt nicht zu viele Regeln."),
    ("focus-word", "Die Mieten sind zu hoch.", "Die Mieten sind nicht zu hoch."),
    ("focus-word", "Nur Firmen, die ausbilden, sollen Aufträge erhalten.", "Nicht nur Firmen, die ausbilden, sollen Aufträge erhalten."),
    ("quantifier", "Alle Schulen sollen renoviert werden.", "Nicht alle Schulen sollen renoviert werden."),
    ("quantifier", "Jedes Dorf soll einen Arzt haben.", "Nicht jedes Dorf soll einen Arzt haben."),
    ("quantifier", "In allen Parks soll ein Verbot gelten.", "Nicht in allen Parks soll ein Verbot gelten."),
    ("quantifier", "Busse sollen für alle kostenlos sein.", "Busse sollen nicht für alle kostenlos sein."),
    ("quantifier", "Das Verbot soll in ganz Europa gelten.", "Das Verbot soll nicht in ganz Europa gelten."),
    ("quantifier", "Die Truppe soll auf mindestens 3'000 Leute wachsen.", "Die Truppe soll nicht auf mindestens 3'000 Leute wachsen."),
    ("quantifier", "Der Bund soll 12 Milliarden Euro bereitstellen.", "Der Bund soll nicht 12 Milliarden Euro bereitstellen."),
    ("quantifier", "Ledige sollen die gleichen Rechte haben.", "Ledige sollen nicht die gleichen Rechte haben."),
    ("expletive", "Mehr Züge sollen nachts fahren.", "Es sollen nicht mehr Züge nachts fahren."),
    ("nicht-before-cluster", "Auch Gäste sollen die Kurtaxe bezahlen.", "Gäste sollen die Kurtaxe nicht bezahlen."),
]  # fmt: skip

KEIN = [
    ("kein-bare", "Der Senat soll Vergabeverfahren durchführen.", "Der Senat soll keine Vergabeverfahren durchführen."),
    ("kein-bare", "Die Gemeinde soll arbeitslose Jugendliche einstellen.", "Die Gemeinde soll keine arbeitslosen Jugendlichen einstellen."),
    ("kein-bare", "Der Kreis soll zum Kauf neuer Häuser Kredite aufnehmen.", "Der Kreis soll zum Kauf neuer Häuser keine Kredite aufnehmen."),
    ("kein-bare", "Der Bund soll ärmere Staaten aufnehmen.", "Der Bund soll keine ärmeren Staaten aufnehmen."),
    ("kein-bare", "Der Bundesrat soll selbst Verträge aushandeln.", "Der Bundesrat soll selbst keine Verträge aushandeln."),
    ("kein-bare", "Händler dürfen Kindern Knallbonbons und Kügelchen verkaufen.", "Händler dürfen Kindern keine Knallbonbons und Kügelchen verkaufen."),
    ("kein-bare", "Ämter dürfen in Briefen Sternchen benutzen.", "Ämter dürfen in Briefen keine Sternchen benutzen."),
    ("kein", "Im Hafen soll eine Geschwindigkeit von höchstens 6 km/h gelten.", "Im Hafen soll keine Geschwindigkeit von höchstens 6 km/h gelten."),
    ("kein", "Es braucht ein Gesetz.", "Es braucht kein Gesetz."),
    ("kein", "Es soll eine Steuer auf Zucker geben.", "Es soll keine Steuer auf Zucker geben."),
    ("kein", "Der Rat soll einen Plan beschliessen.", "Der Rat soll keinen Plan beschliessen."),
    ("kein", "Der Rat soll einem Vertrag zustimmen.", "Der Rat soll keinem Vertrag zustimmen."),
    ("kein", "In Dörfern soll ein Tempolimit gelten.", "In Dörfern soll kein Tempolimit gelten."),
    ("kein", "Wir brauchen ein Gesetz, das Moore schützt.", "Wir brauchen kein Gesetz, das Moore schützt."),
    ("kein", "Kohle ist eine saubere Energiequelle.", "Kohle ist keine saubere Energiequelle."),
    ("kein", "Die Union ist alles in allem ein Erfolg.", "Die Union ist alles in allem kein Erfolg."),
    ("kein-bare", "Der Rat soll neue Regeln erlassen.", "Der Rat soll keine neuen Regeln erlassen."),
    ("kein-bare", "Der Rat soll neue und strenge Regeln erlassen.", "Der Rat soll keine neuen und strengen Regeln erlassen."),
    ("kein-bare", "Hebammen sollen direkte Hilfe leisten dürfen.", "Hebammen sollen keine direkte Hilfe leisten dürfen."),
    ("kein-bare", "Es soll katholischen Unterricht geben.", "Es soll keinen katholischen Unterricht geben."),
    ("kein-bare", "Schulen sollen warmes Essen anbieten.", "Schulen sollen kein warmes Essen anbieten."),
    ("kein-bare", "Die Messe soll hohen Auflagen unterliegen.", "Die Messe soll keinen hohen Auflagen unterliegen."),
    ("kein-bare", "Die Stadt soll Häuser kaufen.", "Die Stadt soll keine Häuser kaufen."),
    ("kein-bare", "Irland soll Strom exportieren.", "Irland soll keinen Strom exportieren."),
    ("kein-bare", "Irland braucht Kernkraft.", "Irland braucht keine Kernkraft."),
    ("kein-bare", "Der Verein soll Geld erhalten.", "Der Verein soll kein Geld erhalten."),
    ("kein-bare", "Bis zum Sommer soll es Steuersenkungen geben.", "Bis zum Sommer soll es keine Steuersenkungen geben."),
    ("kein-bare", "Reiche sollen höhere Abgaben zahlen.", "Reiche sollen keine höheren Abgaben zahlen."),
]  # fmt: skip

UNDONE = [
    ("undone-kein", "Die Post darf auf Briefen keine Herzchen drucken.", "Die Post darf auf Briefen Herzchen drucken."),
    ("undone-weiterhin", "Das Land soll nicht länger Steuergeld in Pferderennen stecken.", "Das Land soll weiterhin Steuergeld in Pferderennen stecken."),
    ("undone-kein", "Auf dem Gelände darf kein Zaun stehen.", "Auf dem Gelände darf ein Zaun stehen."),
    ("undone-weiterhin", "Falschparken soll nicht länger ein Kavaliersdelikt sein.", "Falschparken soll weiterhin ein Kavaliersdelikt sein."),
    ("undone-kein", "In Schutzgebieten darf kein Sand abgebaut werden.", "In Schutzgebieten darf Sand abgebaut werden."),
    ("undone-kein", "Für die Halle soll kein Tropenholz verbaut werden.", "Für die Halle soll Tropenholz verbaut werden."),
    ("undone", "Die Steuer soll nicht erhöht werden.", "Die Steuer soll erhöht werden."),
    ("undone", "Nicht alle Schulen sollen renoviert werden.", "Alle Schulen sollen renoviert werden."),
    ("undone", "Es ist nicht wahr, dass Mieten sinken.", "Es ist wahr, dass Mieten sinken."),
    ("undone", "Der Staat darf niemals lügen.", "Der Staat darf lügen."),
    ("undone", "Der Staat soll gar nicht eingreifen.", "Der Staat soll eingreifen."),
    ("undone", "Der Rat soll nicht mehr Geld ausgeben.", "Der Rat soll mehr Geld ausgeben."),
    ("undone-weiterhin", "Die Maut soll nicht mehr erhoben werden.", "Die Maut soll weiterhin erhoben werden."),
    ("undone-weiterhin", "Der Bund soll keine Panzer mehr liefern.", "Der Bund soll weiterhin Panzer liefern."),
    ("undone-kein", "Es soll kein Gesetz geben.", "Es soll ein Gesetz geben."),
    ("undone-kein", "Es soll keine neue Steuer geben.", "Es soll eine neue Steuer geben."),
    ("undone-kein", "Es soll keine neuen Steuern geben.", "Es soll neue Steuern geben."),
    ("undone-kein", "Der Rat soll keinen Plan beschliessen.", "Der Rat soll einen Plan beschliessen."),
    ("undone-kein", "Der Verein soll kein Geld erhalten.", "Der Verein soll Geld erhalten."),
    ("undone-kein", "Es soll keinen katholischen Unterricht geben.", "Es soll katholischen Unterricht geben."),
]  # fmt: skip

ABSTAINED = [
    ("abstain:scope", "Der Kanton soll Firmen mit zehn oder mehr Angestellten kontrollieren."),
    ("abstain:scope", "Hausbesitzer sollen die Kosten zu gleichen Teilen tragen."),
    ("abstain:scope", "Der Landkreis soll Gewerbeflächen in Moorgebieten ausweisen."),
    ("abstain:scope", "Der Rat soll brachliegende Flächen mit einer Steuer belegen."),
    ("abstain:scope", "Wer ein Boot mietet, soll keine Kurtaxe zahlen müssen."),
    ("abstain:scope", "Honig darf in Läden ohne Siegel verkauft werden."),
    ("abstain:scope", "Piloten sollen mit 55 Jahren in Pension gehen."),
    ("abstain:scope", "Die Maut soll im Jahr 2031 enden."),
    ("abstain:scope", "Die Wut wächst im Osten."),
    ("abstain:scope", "Glücksspiel soll unter strenger Kontrolle erlaubt sein."),
    ("abstain:morphology", "An Gymnasien sollen die Kinder Latein lernen."),
    ("abstain:scope", "Die Maut ist in Städten zu erheben."),
    ("abstain:scope", "Die Messe soll in Leipzig stattfinden."),
    ("abstain:scope", "In den Alltag gehört der Lärm auf Straßen."),
    ("abstain:scope", "Die kirchlichen Heime sollen den städtischen gleichgestellt werden."),
    ("abstain:scope", "Die Marine soll Geflüchtete vor der Küste abfangen."),
    ("abstain:scope", "Im Strafverfahren soll die Herkunft mit genetischen Tests bestimmt werden."),
    ("abstain:scope", "Der Bezirk soll in der Fußgängerzone Spielplätze streichen."),
    ('abstain:scope', 'Kinder sollen in Bussen mit Gurten gesichert werden.'),
    ('abstain:scope', 'Die Fassade soll bei der Sanierung begrünt werden.'),
    ('abstain:scope', 'Die Brücke soll mit einer Ampel gesichert werden.'),
    ('abstain:scope', 'Firmen müssen ihre Verträge mit Behörden offenlegen.'),
    ('abstain:scope', 'Der Bezirk soll im Zentrum Parkplätze streichen.'),
    ('abstain:scope', 'Der Zoll muss Lastwagen mit Röntgengeräten prüfen.'),
    ('abstain:scope', 'Die Braunkohle hat in der Lausitz noch eine Zukunft.'),
    ('abstain:scope', 'Die Schweiz soll grundsätzlich keine Panzer verkaufen.'),
    ('abstain:scope', 'Gerichte sollen generell nicht öffentlich tagen.'),
    ('abstain:scope', 'Das Land soll prinzipiell keine Schulden machen.'),
    ("abstain:empty", ""),
    ("abstain:empty", "  \n"),
    ("abstain:question", "Soll die Maut eingeführt werden?"),
    ("abstain:no-verb", "Ein Verbot von Laubbläsern."),
    ("abstain:no-verb", "Tempo 30 in der Stadt."),
    ("abstain:structure", "Lassen Sie uns die Steuern senken."),
    ("abstain:several-claims", "Die Maut soll steigen. Die Steuer soll sinken."),
    ("abstain:coordination", "Die Maut soll steigen, aber die Steuer soll sinken."),
    ("abstain:coordination", "Der Rat soll den Vertrag kündigen und ein Abkommen schliessen."),
    ("abstain:coordination", "Der Rat soll entweder den Zoll oder die Steuer senken."),
    ("abstain:coordination", "Der Rat soll einen Plan und strenge Regeln beschliessen."),
    ("abstain:contrast", "Der Rat soll Radwege statt Autobahnen bauen."),
    ("abstain:contrast", "Der Rat soll nicht Strassen, sondern Radwege bauen."),
    ("abstain:contrast", "Die Bahn soll nur vom Staat und nicht von Firmen betrieben werden."),
    ("abstain:scope", "Einige Schulen sollen renoviert werden."),
    ("abstain:scope", "Die Stadt soll einige Schulen renovieren."),
    ("abstain:scope", "Manche Schulen sollen renoviert werden."),
    ("abstain:scope", "Die Maut soll höchstens 5 Euro betragen."),
    ("abstain:scope", "Bundesweit soll eine Maut gelten."),
    ("abstain:scope", "Beamte sollen länger arbeiten."),
    ("abstain:scope", "Der Bund soll mehr ausgeben."),
    ("abstain:reason", "Trotz der Kosten soll die Maut gelten."),
    ("abstain:reason", "Um Strom zu sparen, sollen die Lampen ausgeschaltet werden."),
    ("abstain:reason", "Weil es nützt, soll die Maut gelten."),
    ("abstain:stance", "Die Maut wurde zu Recht erhöht."),
    ("abstain:scope", "Niemand soll frieren."),
    ("abstain:scope", "Kein Kind soll frieren."),
    ("abstain:scope", "Die Maut soll noch nicht steigen."),
    ("abstain:scope", "Der Hafen soll gesperrt werden, auch für Fähren."),
    ("abstain:scope", "Es soll einen Bus mehr geben."),
    ("abstain:double", "Der Rat soll nicht keine Steuern erheben."),
    ("abstain:morphology", "Der Rat soll Quarzit kaufen."),
]  # fmt: skip

PAIRS = NICHT + OPERATORS + KEIN + UNDONE


@pytest.mark.parametrize(("rule", "statement", "negation"), PAIRS)
def test_rule(rule: str, statement: str, negation: str) -> None:
    assert (negate(statement, "de").text, negate(statement, "de").rule) == (negation, rule)


@pytest.mark.parametrize(("rule", "statement"), ABSTAINED)
def test_abstention(rule: str, statement: str) -> None:
    negated = negate(statement, "de")
    assert (negated.text, negated.rule) == (None, rule)
    assert negated.explanation.endswith(".")


def test_many_adverbs_before_a_noun_take_no_time_and_a_long_text_is_no_statement() -> None:
    text = "Der Rat soll " + "sehr neue " * 90 + "Steuern senken."
    assert negate(text, "de").rule != "abstain:too-long"
    assert negate(text * 2, "de").rule == "abstain:too-long"
